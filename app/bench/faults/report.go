package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Report is the result of all runs.
type Report struct{ Rows []*Row }

// Row is the result of the runs of one kind of fault.
type Row struct {
	Name    string   `json:"row"`
	Owner   bool     `json:"through_owner"`
	Help    string   `json:"help"`
	Runs    int      `json:"runs"`
	Acked   int      `json:"acknowledged"`
	Bytes   int64    `json:"bytes"`
	Lost    []string `json:"lost"`  // acknowledged, but gone: each is a failure
	Wrong   []string `json:"wrong"` // half done, left over, not reported, or failing without a reason
	Failed  []uint64 `json:"failed_seeds"`
	Untried string   `json:"untried,omitempty"` // why this computer cannot run it
	Known   string   `json:"known,omitempty"`   // the known fault that makes it fail
}

// OK reports whether nothing was lost and nothing is wrong.
func (r Report) OK() bool {
	_, failed := r.Count()
	return failed == 0
}

// Count counts the runs.
func (r Report) Count() (passed, failed int) {
	for _, row := range r.Rows {
		passed += row.Runs - len(row.Failed)
		failed += len(row.Failed)
	}
	return passed, failed
}

// Write writes the table, or one JSON object per row.
func (r Report) Write(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		for _, row := range r.Rows {
			if err := enc.Encode(row); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "row\tby\truns\tacknowledged\tbytes\tlost\twrong\tnotes")
	for _, row := range r.Rows {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", row.Name, row.by(), row.Runs, row.Acked, row.Bytes, len(row.Lost),
			len(row.Wrong), row.notes())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, row := range r.Rows {
		for _, s := range append(append([]string{}, row.Lost...), row.Wrong...) {
			fmt.Fprintf(w, "%s, %s: %s\n", row.Name, row.by(), strings.ReplaceAll(s, "\n", " | "))
		}
	}
	passed, failed := r.Count()
	_, err := fmt.Fprintf(w, "%d passed, %d failed\n", passed, failed)
	return err
}

// by names the process that does the work.
func (r *Row) by() string {
	if r.Owner {
		return "owner"
	}
	return "alone"
}

func (r *Row) notes() string {
	switch {
	case r.Untried != "":
		return "not tried here: " + r.Untried
	case len(r.Failed) > 0:
		s := fmt.Sprintf("again with: --only %s --seed %d --runs 1 --by %s", r.Name, r.Failed[0], r.by())
		if r.Known != "" {
			s += "; known: " + r.Known
		}
		return s
	}
	return r.Help
}
