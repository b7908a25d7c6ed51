package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/history"
	"waferpair/workspace/text"
)

func historyShow(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID...",
		Short:   "Show edits and their diffs",
		Example: `  waferpair history show 12`,
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			ids, err := parseIDs(words)
			if err != nil {
				return err
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				for _, id := range ids {
					d, err := p.History().Get(cmd.Context(), id)
					if err != nil && !(errors.Is(err, history.ErrPurged) && d.ID == id) {
						return err
					}
					e.showDetail(d)
				}
				return nil
			})
		},
	}
}

func (e *env) showDetail(d history.Detail) {
	patch := unified(d.Path, d.Before, d.After)
	if e.json {
		jsonOut(e.out, struct {
			editJSON
			Diff string `json:"diff"`
		}{toEditJSON(d.Edit), patch})
		return
	}
	v := newDiffView(e.out, e.color(e.out))
	fmt.Fprintf(e.out, "%s  %s  %s\n%s\n", v.paint(ansiBold, fmt.Sprintf("edit %d", d.ID)),
		d.Time.In(e.around().zone()).Format("2006-01-02 15:04:05.000"), d.Author, cleanName(describe(d.Edit)))
	if d.Note != "" {
		fmt.Fprintf(e.out, "note: %s\n", clean(d.Note))
	}
	e.printUnified(patch)
}

// unified returns the difference of two versions as a unified diff; "" when they are equal.
func unified(path string, a, b history.Version) string {
	from, to := "a/"+path, "b/"+path
	if !a.Exists {
		from = "/dev/null"
	}
	if !b.Exists {
		to = "/dev/null"
	}
	if text.IsBinary(a.Bytes) || text.IsBinary(b.Bytes) {
		return fmt.Sprintf("Binary files %s and %s differ\n", from, to)
	}
	d := string(diff.Diff(from, readable(a.Bytes), to, readable(b.Bytes)))
	_, d, _ = strings.Cut(d, "\n") // the first line repeats the names
	return d
}

// readable decodes a version for people. Only UTF-16 is decoded: a diff of any other encoding
// can still be applied, because its bytes are the file's.
func readable(b []byte) []byte {
	switch enc := text.DetectEncoding(b); enc {
	case text.UTF16LE, text.UTF16BE:
		return []byte(enc.Decode(b))
	}
	return b
}

// printUnified prints a diff: escaped on a terminal; byte for byte into a pipe or a file, so
// that 'git apply' accepts it.
func (e *env) printUnified(patch string) {
	if !e.isTerminal(e.out) {
		_, _ = io.WriteString(e.out, patch) // output keeps its first error
		return
	}
	v := newDiffView(e.out, e.color(e.out))
	for line := range strings.Lines(patch) {
		l := clean(strings.TrimRight(line, "\r\n"))
		switch {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
			l = v.paint(ansiBold, l)
		case strings.HasPrefix(l, "@@"):
			l = v.paint(ansiCyan, l)
		case strings.HasPrefix(l, "+"):
			l = v.paint(ansiGreen, l)
		case strings.HasPrefix(l, "-"):
			l = v.paint(ansiRed, l)
		}
		fmt.Fprintln(e.out, l)
	}
}

func historyDiff(e *env) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use:   "diff [FROM [TO]]",
		Short: "Compare two moments: a unified diff of every file that differs",
		Long: `diff compares the files as they were right after edit FROM with those right
after edit TO (default: now). Without FROM it compares with the first opening
of the project.`,
		Example: `  waferpair history diff            # everything since the first opening
  waferpair history diff 12         # what changed after edit 12
  waferpair history diff 11 12      # what edit 12 changed
  waferpair history diff --path server.go 3`,
		Args: args(cobra.MaximumNArgs(2)),
		RunE: func(cmd *cobra.Command, words []string) error {
			ids, err := parseIDs(words)
			if err != nil {
				return err
			}
			from, to := history.EditID(0), history.Newest
			if len(ids) > 0 {
				from = ids[0]
			}
			if len(ids) > 1 {
				to = ids[1]
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				return e.diffMoments(cmd.Context(), p, from, to, e.inProject(path))
			})
		},
	}
	c.Flags().StringVar(&path, "path", "", "only this `file`")
	return c
}

func (e *env) diffMoments(ctx context.Context, p *app.Project, from, to history.EditID, only string) error {
	changed, err := p.Query().Changed(ctx, from, to)
	if err != nil {
		return err
	}
	for _, path := range changed {
		if only != "" && path != only {
			continue
		}
		a, err := p.History().At(ctx, from, path)
		if err != nil {
			return err
		}
		b, err := p.History().At(ctx, to, path)
		if err != nil {
			return err
		}
		patch := unified(path, a, b)
		if e.json {
			jsonOut(e.out, map[string]string{"path": path, "diff": patch})
		} else {
			e.printUnified(patch)
		}
	}
	return nil
}
