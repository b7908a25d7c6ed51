package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/history"
)

const helpDryRun = "show what would change, write nothing"

func historyRevert(e *env) *cobra.Command {
	var f struct {
		since  int64
		turn   int64
		all    bool
		dryRun bool
	}
	c := &cobra.Command{
		Use:   "revert [ID...]",
		Short: "Revert edits, even below later ones",
		Long: `revert undoes the named edits and leaves every other edit in place: the
inverse of each is moved through all later edits of its file. Where later edits
changed the same lines, nothing is written and the places are named (exit code
4). A revert is itself an edit and can be reverted.

--since reverts what the model did after a moment; edits by you and by other
programs stay, unless --all-authors is given.

It is all or nothing: when one of the files cannot be written, none is changed,
nothing is recorded, and the exit code is 1. Reverting an edit that is already
reverted is a conflict, too: revert the edit that reverted it. An edit whose
change is gone from the file has nothing left to revert (exit code 0).`,
		Example: `  waferpair history revert 12
  waferpair history revert 12-17
  waferpair history revert --turn 3
  waferpair history revert --since 40`,
		RunE: func(cmd *cobra.Command, words []string) error {
			ids, err := parseIDs(words)
			if err != nil {
				return err
			}
			if len(ids) == 0 && f.since < 0 && f.turn == 0 {
				return usageError(
					"name the edits to revert, or a --turn, or a moment with --since; 'waferpair history list' shows the numbers")
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				done, err := p.Revert(cmd.Context(), app.RevertRequest{IDs: ids, Turn: history.TurnID(f.turn),
					HasSince: f.since >= 0, Since: history.EditID(f.since), AllAuthors: f.all, DryRun: f.dryRun})
				if err != nil {
					return err
				}
				return e.printDone("reverted", done, f.dryRun)
			})
		},
	}
	c.Flags().Int64Var(&f.since, "since", -1, "the model's edits after this `ID`")
	c.Flags().Int64Var(&f.turn, "turn", 0, "all edits of this `turn`")
	c.Flags().BoolVar(&f.all, "all-authors", false, "with --since: everybody's edits, not only the model's")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, helpDryRun)
	return c
}

func historyRestore(e *env) *cobra.Command {
	at := int64(-1)
	dryRun := false
	c := &cobra.Command{
		Use:   "restore --at ID [PATH...]",
		Short: "Restore files to a moment",
		Long: `restore makes every file (or the named ones) what it was right after edit ID.
Files that do not differ are not touched. A restore is itself an edit and can
be reverted.`,
		Example: `  waferpair history restore --at 12
  waferpair history restore --at 0 server.go`,
		RunE: func(cmd *cobra.Command, words []string) error {
			if at < 0 {
				return usageError(
					"name the moment with --at ID; 'waferpair history list' shows the numbers, 0 is before the first edit")
			}
			paths := make([]string, len(words))
			for i, w := range words {
				paths[i] = e.inProject(w)
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				done, err := p.Restore(cmd.Context(), app.RestoreRequest{At: history.EditID(at), Paths: paths, DryRun: dryRun})
				if err != nil {
					return err
				}
				return e.printDone("restored", done, dryRun)
			})
		},
	}
	c.Flags().Int64Var(&at, "at", -1, "the moment: an edit's `ID`")
	c.Flags().BoolVar(&dryRun, "dry-run", false, helpDryRun)
	return c
}

func historyApprove(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "approve TURN",
		Short: "Make the edits of a turn that were held for your approval",
		Long: `approve makes what a turn held because it is outside its --scope, or because
another turn had the file: in the files as they are now, all of it or nothing.
They become edits of that turn, and can be reverted.

What has no certain place any more is a conflict (exit code 4). Ignored files, and
those that may hold secrets, stay as they are (exit code 3): edit them yourself.`,
		Example: `  waferpair history approve 3`,
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			turn, err := strconv.ParseInt(words[0], 10, 64)
			if err != nil || turn < 1 {
				return usageError("%q is not the number of a turn; 'waferpair sessions show ID' lists those of a session", words[0])
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				done, err := p.ApproveHeld(cmd.Context(), history.TurnID(turn))
				if err != nil {
					return err
				}
				return e.printDone("approved", done, false)
			})
		},
	}
}

// printDone reports a change of several files.
func (e *env) printDone(verb string, d app.Done, dryRun bool) error {
	if e.json {
		out := struct {
			Event string   `json:"event"`
			Edits []int64  `json:"edits"`
			Files []string `json:"files"`
		}{"history." + verb, []int64{}, []string{}}
		for _, id := range d.Edits {
			out.Edits = append(out.Edits, int64(id))
		}
		out.Files = append(out.Files, d.Files...)
		jsonOut(e.out, out)
		return nil
	}
	for _, patch := range d.Diffs {
		e.printUnified(unified(patch.Path, patch.Before, patch.After))
	}
	switch {
	case len(d.Files) == 0:
		fmt.Fprintln(e.out, "nothing to do: the files are already like that")
	case dryRun:
		fmt.Fprintf(e.out, "dry run: %s would change\n", count(len(d.Files), "file"))
	case len(d.Edits) == 0: // another fork: its edits existed before
		fmt.Fprintf(e.out, "%s: %s changed\n", verb, count(len(d.Files), "file"))
	default:
		fmt.Fprintf(e.out, "%s: %s, kept as edit %s\n", verb, count(len(d.Files), "file"), joinIDs(d.Edits))
	}
	return nil
}

func historyFork(e *env) *cobra.Command {
	var f struct {
		at     int64
		list   bool
		change bool
	}
	c := &cobra.Command{
		Use:   "fork [NAME]",
		Short: "Continue from an earlier moment on a new fork, or switch forks",
		Long: `fork starts a line of edits of its own at a moment and brings the files there.
The other line keeps all its edits; --switch goes back to it, and nothing is lost
on either side. Without a name, the forks are listed.`,
		Example: `  waferpair history fork --at 12 try-channels
  waferpair history fork
  waferpair history fork --switch main`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				if len(words) == 0 {
					return e.listForks(cmd, p)
				}
				if f.change {
					done, err := p.SwitchFork(cmd.Context(), words[0])
					if err != nil {
						return err
					}
					return e.printDone("switched", done, false)
				}
				done, err := p.Fork(cmd.Context(), words[0], moment(f.at))
				if err != nil {
					return err
				}
				return e.printDone("forked", done, false)
			})
		},
	}
	c.Flags().Int64Var(&f.at, "at", -1, "the moment: an edit's `ID` (default: now)")
	c.Flags().BoolVar(&f.change, "switch", false, "switch to an existing fork")
	return c
}

func (e *env) listForks(cmd *cobra.Command, p *app.Project) error {
	forks, err := p.History().Branches(cmd.Context())
	if err != nil {
		return err
	}
	for _, b := range forks {
		if e.json {
			jsonOut(e.out, map[string]any{"name": b.Name, "parent": b.Parent, "at": b.At, "current": b.Current, "head": b.Head})
			continue
		}
		mark := " "
		if b.Current {
			mark = "*"
		}
		from := ""
		if b.Parent != "" {
			from = fmt.Sprintf("  from %s at %d", b.Parent, b.At)
		}
		fmt.Fprintf(e.out, "%s %s  newest edit %d%s\n", mark, clean(b.Name), b.Head, from)
	}
	return nil
}
