package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/history"
)

func historyCommand(e *env) *cobra.Command {
	return group("history", "List, show, compare, revert and restore edits",
		`Every edit of the project's files is kept, whoever made it: you, the model, or
another program. Edits have numbers; a moment is named by the edit that was
newest then, and moment 0 is before the first edit.`,
		historyList(e), historyShow(e), historyCat(e), historyDiff(e), historyRevert(e), historyRestore(e), historyApprove(e),
		historyFork(e), historyExport(e), historyCheck(e), historySize(e), historyPurge(e))
}

// withProject opens the project for a command and closes it afterwards.
func (e *env) withProject(ctx context.Context, do func(*app.Project) error) error {
	p, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer e.close(p)
	return classify(do(p.Project))
}

// parseIDs parses edit numbers; 'a-b' and 'a..b' are ranges.
func parseIDs(words []string) ([]history.EditID, error) {
	var out []history.EditID
	for _, w := range words {
		a, b, isRange := strings.Cut(strings.Replace(w, "..", "-", 1), "-")
		from, err := strconv.ParseInt(strings.TrimPrefix(a, "#"), 10, 64)
		to := from
		if err == nil && isRange {
			to, err = strconv.ParseInt(strings.TrimPrefix(b, "#"), 10, 64)
		}
		if err != nil || from < 0 || to < from || to-from > 1_000_000 {
			return nil, usageError("%q is not an edit number; 'waferpair history list' shows them", w)
		}
		for id := from; id <= to; id++ {
			out = append(out, history.EditID(id))
		}
	}
	return out, nil
}

// editJSON is an edit in the JSON of the contract.
type editJSON struct {
	ID      int64   `json:"id"`
	Turn    int64   `json:"turn"`
	Author  string  `json:"author"`
	Kind    string  `json:"kind"`
	Path    string  `json:"path"`
	Time    string  `json:"time"`
	Added   int     `json:"added"`
	Removed int     `json:"removed"`
	Reverts []int64 `json:"reverts"`

	To         string `json:"to,omitempty"`
	RevertedBy int64  `json:"reverted_by,omitempty"`
	Partial    bool   `json:"partial,omitempty"`
	Purged     bool   `json:"purged,omitempty"`
	Reclaimed  bool   `json:"reclaimed,omitempty"`
	Branch     string `json:"branch,omitempty"`
	Note       string `json:"note,omitempty"`
}

// mainFork is the first fork of every project.
const mainFork = "main"

func toEditJSON(ed history.Edit) editJSON {
	out := editJSON{ID: int64(ed.ID), Turn: int64(ed.Turn), Author: string(ed.Author), Kind: string(ed.Kind),
		Path: ed.Path, Time: ed.Time.UTC().Format(time.RFC3339Nano), Added: ed.Added, Removed: ed.Removed, Reverts: []int64{},
		To: ed.To, RevertedBy: int64(ed.RevertedBy), Partial: ed.Partial, Purged: ed.Purged,
		Reclaimed: ed.Reclaimed, Note: ed.Note}
	if ed.Branch != mainFork {
		out.Branch = ed.Branch
	}
	for _, r := range ed.Reverts {
		out.Reverts = append(out.Reverts, int64(r))
	}
	return out
}

func historyList(e *env) *cobra.Command {
	var f struct {
		limit  int
		turn   int64
		author string
		all    bool
	}
	c := &cobra.Command{
		Use:   "list [PATH]",
		Short: "List the edits, newest last",
		Example: `  waferpair history list
  waferpair history list --author model server.go
  waferpair history list --json | jq 'select(.turn == 3)'`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				filter := history.Filter{Turn: history.TurnID(f.turn), Author: history.Author(f.author),
					Limit: f.limit, Branches: f.all}
				if len(words) == 1 {
					path, err := p.Path(e.inProject(words[0]))
					if err != nil {
						return err
					}
					filter.Path = path
				}
				edits, err := p.History().List(cmd.Context(), filter)
				if err != nil {
					return err
				}
				e.printEdits(edits)
				return nil
			})
		},
	}
	c.Flags().IntVarP(&f.limit, "limit", "n", 0, "only the newest `N`")
	c.Flags().Int64Var(&f.turn, "turn", 0, "only the edits of this `turn`")
	c.Flags().StringVar(&f.author, "author", "", "only edits by user, model, outside, revert or recovery")
	c.Flags().BoolVar(&f.all, "all-forks", false, "the edits of every fork")
	return c
}

func (e *env) printEdits(edits []history.Edit) {
	if e.json {
		for _, ed := range edits {
			jsonOut(e.out, toEditJSON(ed))
		}
		return
	}
	if len(edits) == 0 {
		fmt.Fprintln(e.out, "no edits yet")
	}
	v := newDiffView(e.out, e.color(e.out))
	for _, ed := range edits {
		fmt.Fprintf(e.out, "%s  %s  %s  %s\n", v.paint(ansiBold, fmt.Sprintf("%6d", ed.ID)),
			v.paint(ansiDim, ed.Time.In(e.around().zone()).Format("2006-01-02 15:04:05")),
			v.paint(authorColor(ed.Author), fmt.Sprintf("%-8s", ed.Author)), cleanName(describe(ed)))
	}
}

func authorColor(a history.Author) string {
	switch a {
	case history.Model:
		return ansiCyan
	case history.Revert, history.Recovery:
		return ansiYellow
	}
	return ansiGreen
}

// describe returns an edit in one line: what it did, where, how much, and its state now.
func describe(ed history.Edit) string {
	s := ed.Path
	switch ed.Kind {
	case history.Text:
	case history.Rename:
		s = fmt.Sprintf("rename %s -> %s", ed.Path, ed.To)
	default:
		s = string(ed.Kind) + " " + ed.Path
	}
	s += fmt.Sprintf("  +%d -%d", ed.Added, ed.Removed)
	if ed.Turn != 0 {
		s += fmt.Sprintf("  turn %d", ed.Turn)
	}
	if len(ed.Reverts) > 0 {
		s += "  reverts " + joinIDs(ed.Reverts)
	}
	if ed.RevertedBy != 0 {
		s += fmt.Sprintf("  reverted by %d", ed.RevertedBy)
	}
	if ed.Partial {
		s += "  (cut off)"
	}
	switch {
	case ed.Reclaimed:
		s += "  (reclaimed)"
	case ed.Purged:
		s += "  (purged)"
	}
	return s
}

// joinIDs formats edit numbers, with ranges as parseIDs reads them.
func joinIDs(ids []history.EditID) string {
	var out []string
	for i := 0; i < len(ids); {
		j := i
		for j+1 < len(ids) && ids[j+1] == ids[j]+1 {
			j++
		}
		s := strconv.FormatInt(int64(ids[i]), 10)
		switch {
		case j == i+1:
			s += ", " + strconv.FormatInt(int64(ids[j]), 10)
		case j > i:
			s += "-" + strconv.FormatInt(int64(ids[j]), 10)
		}
		out = append(out, s)
		i = j + 1
	}
	return strings.Join(out, ", ")
}

func historyCat(e *env) *cobra.Command {
	at := int64(-1)
	c := &cobra.Command{
		Use:   "cat [--at ID] PATH",
		Short: "Print a file as it was at a moment",
		Example: `  waferpair history cat --at 12 server.go
  waferpair history cat --at 0 server.go     # before the first edit`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				path, err := p.Path(e.inProject(words[0]))
				if err != nil {
					return err
				}
				v, err := p.At(cmd.Context(), moment(at), path)
				if err != nil {
					return err
				}
				_, err = e.out.Write(v.Bytes)
				return errors.Join(err, e.written())
			})
		},
	}
	c.Flags().Int64Var(&at, "at", -1, "the moment: an edit's `ID`, 0 for before the first edit (default: now)")
	return c
}

func moment(at int64) history.EditID {
	if at < 0 {
		return history.Newest
	}
	return history.EditID(at)
}
