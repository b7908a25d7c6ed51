-- The conversation belongs to the lines of the history as edits do: a fork has
-- the turns of its parent up to where it leaves it, and its own.

-- +goose Up

-- The branch that was current when the turn began.
ALTER TABLE turn ADD COLUMN branch INTEGER NOT NULL DEFAULT 1;

-- The newest turn shared with the parent: no turn of the parent after it is part
-- of this branch. 0: none.
ALTER TABLE branch ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;

-- Which branch was current, the operation before a turn tells: a switch (kind 3)
-- by the branch that it leads to, any other one by its own.
UPDATE turn SET branch = coalesce((
  SELECT coalesce(CASE WHEN o.kind = 3 AND json_valid(o.note) THEN json_extract(o.note, '$.id') END, o.branch)
  FROM op o WHERE o.id < turn.first_op ORDER BY o.id DESC LIMIT 1), 1);

-- As Store.sharedTurn has it, among the turns that there were at the fork (kind 2).
UPDATE branch SET turn = coalesce((
  SELECT max(t.id) FROM turn t
  WHERE t.branch = branch.parent
  AND t.first_op <= coalesce((SELECT o.id FROM op o
    WHERE o.kind = 2 AND CASE WHEN json_valid(o.note) THEN json_extract(o.note, '$.id') END = branch.id LIMIT 1), 9223372036854775807)
  AND (t.first_op <= (SELECT e.op FROM edit e WHERE e.id = branch.at)
    OR t.first_op <= coalesce((SELECT e.op FROM edit e WHERE e.branch = branch.parent AND e.id > branch.at ORDER BY e.id LIMIT 1), 9223372036854775807)
    AND NOT EXISTS (SELECT 1 FROM op o
      WHERE o.id BETWEEN t.first_op AND coalesce(t.last_op, 9223372036854775807) AND o.turn = t.id AND o.kind = 0))), 0);

PRAGMA user_version = 3;
