package history

// The writer's side of an append: it inserts prepared operations in a group's transaction.

func (g *group) writeOp(row opRow, paths []newPath, edits []newEdit) error {
	var c canon
	c.op(row)
	for i := range edits {
		edits[i].settle()
		c.edit(edits[i].row)
	}
	for _, p := range paths {
		if err := g.exec("INSERT INTO path (id, path) VALUES (?, ?)", p.id, p.path); err != nil {
			return err
		}
	}
	if err := g.insertOp(row, c.b); err != nil {
		return err
	}
	for i := range edits {
		if err := g.insertEdit(row, &edits[i]); err != nil {
			return err
		}
	}
	return nil
}

// settle fills in the hash of the version that the edit makes.
func (e *newEdit) settle() {
	e.row.after = e.sum.Hash()
	if e.whole != nil {
		e.whole.Hash = e.row.after
	}
}

func (g *group) insertOp(o opRow, canonical []byte) error {
	g.chain = link(g.chain, canonical)
	g.op = o.id
	var note any
	if o.note != "" {
		note = o.note
	}
	return g.exec("INSERT INTO op (id, kind, branch, turn, author, at, note, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		o.id, int(o.kind), o.branch, int64(o.turn), o.author, o.at, note, g.chain[:])
}

func (g *group) insertEdit(o opRow, e *newEdit) error {
	r := &e.row
	var to, mode, after, blob, delta any
	if r.to != "" {
		to = e.toID
	}
	if r.hasMode {
		mode = int64(r.mode)
	}
	if r.exists {
		after = r.after[:]
	}
	if e.whole != nil {
		if r.delta != nil { // a keyframe stores the version whole, and the delta that led to it
			delta = r.delta
		}
		id, err := g.blob(e.whole)
		if err != nil {
			return err
		}
		blob = id
	}
	err := g.exec("INSERT INTO edit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		int64(r.id), o.id, r.branch, e.pathID, r.kind, r.state, to, mode, r.added, r.removed, after, blob, delta)
	if err != nil {
		return err
	}
	g.edit = r.id
	g.step(e)
	g.made(e)
	if e.hide != nil {
		if err := g.putHide(r.id, e.hide); err != nil {
			return err
		}
	}
	if o.turn != 0 {
		if err := g.exec("DELETE FROM draft WHERE turn = ? AND path = ?", int64(o.turn), r.path); err != nil {
			return err
		}
	}
	for _, k := range r.reverts {
		if err := g.exec("INSERT OR IGNORE INTO revert (by, edit) VALUES (?, ?)", int64(r.id), int64(k)); err != nil {
			return err
		}
	}
	return nil
}
