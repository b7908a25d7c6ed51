package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/history"
)

func historyExport(e *env) *cobra.Command {
	var format, output string
	c := &cobra.Command{
		Use:   "export",
		Short: "Export the history as JSON lines, patches, or a git bundle",
		Example: `  waferpair history export > history.jsonl
  waferpair history export --format patches -o edits.mbox     # git am --keep-cr edits.mbox
  waferpair history export --format bundle -o edits.bundle    # git clone edits.bundle`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format == "bundle" && output == "" {
				return usageError("a bundle needs a file: add -o FILE")
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				switch format {
				case "jsonl":
					return e.exportTo(output, func(w io.Writer) error { return p.History().Export(cmd.Context(), w) })
				case "patches":
					return e.exportTo(output, func(w io.Writer) error { return p.History().ExportPatches(cmd.Context(), w) })
				case "bundle":
					return p.History().ExportGitBundle(cmd.Context(), e.around().file(output))
				}
				return usageError("--format %q: choose jsonl, patches or bundle", format)
			})
		},
	}
	c.Flags().StringVar(&format, "format", "jsonl", "jsonl, patches or bundle")
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `file` (default: standard output)")
	return c
}

func (e *env) exportTo(name string, write func(io.Writer) error) error {
	if name == "" {
		out := &pipe{Writer: e.out}
		w := bufio.NewWriter(out)
		err := errors.Join(write(w), w.Flush(), e.written())
		if out.closed {
			return nil
		}
		return unlessClosed(err)
	}
	f, err := os.OpenFile(e.around().file(name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("export: %w", asNamed(err, name))
	}
	w := bufio.NewWriter(f)
	return errors.Join(write(w), w.Flush(), f.Close())
}

func historyCheck(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Verify the whole history: chain, hashes, every version rebuilt",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				show := e.progress()
				r, err := p.History().Check(cmd.Context(), func(done, total int) {
					show(app.Progress{What: "checking", Done: done, Total: total})
				})
				if err != nil {
					return err
				}
				return e.printCheck(r)
			})
		},
	}
}

func (e *env) printCheck(r history.Report) error {
	if e.json {
		damage := []string{}
		for _, d := range r.Damage {
			damage = append(damage, d.String())
		}
		jsonOut(e.out, map[string]any{"event": "history.checked", "ok": r.OK(), "edits": r.Edits, "files": r.Files,
			"versions": r.Good, "purged": r.Tombstones, "conversation": r.Said, "damage": damage})
	} else {
		e.showCheck(r)
	}
	if !r.OK() {
		return &codeError{code: exitFailed, err: errors.New("the history is damaged"), quiet: true}
	}
	return nil
}

func (e *env) showCheck(r history.Report) {
	fmt.Fprintf(e.out, "checked %s of %s: %s rebuilt and compared", count(r.Edits, "edit"), count(r.Files, "file"),
		count(r.Good, "version"))
	if r.Tombstones > 0 {
		fmt.Fprintf(e.out, ", %d purged", r.Tombstones)
	}
	fmt.Fprintln(e.out)
	if r.Said > 0 {
		fmt.Fprintf(e.out, "compared %s of the conversation\n", count(r.Said, "row"))
	}
	if r.Unsaid > 0 {
		fmt.Fprintf(e.out, "%s of the conversation not covered by the chain yet\n", count(r.Unsaid, "row"))
	}
	for _, d := range r.Damage {
		fmt.Fprintf(e.out, "damaged: %s\n", clean(d.String()))
	}
	if r.OK() {
		fmt.Fprintln(e.out, "no damage")
	}
}

func historyPurge(e *env) *cobra.Command {
	var path string
	var session int64
	var yes bool
	c := &cobra.Command{
		Use:   "purge (--path FILE | --session ID) --yes",
		Short: "Permanently remove content from the history",
		Long: `purge removes everything the history holds of a file, or of a session, also from
its backups. It cannot be undone. The edits stay as marked tombstones, and the
places where the chain of hashes is broken by it are on record. The files of the
project are not touched.`,
		Example: `  waferpair history purge --path config/keys.txt --yes`,
		Args:    args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (path == "") == (session == 0) {
				return usageError("name either --path FILE or --session ID")
			}
			if !yes {
				return usageError("a purge cannot be undone; add --yes to do it")
			}
			return e.withProject(cmd.Context(), func(p *app.Project) error {
				r, err := p.Purge(cmd.Context(), e.inProject(path), history.SessionID(session))
				if err != nil {
					return err
				}
				e.printPurge(r)
				return nil
			})
		},
	}
	c.Flags().StringVar(&path, "path", "", "the `file`")
	c.Flags().Int64Var(&session, "session", 0, "the session's `ID`")
	c.Flags().BoolVar(&yes, "yes", false, "confirm the purge")
	return c
}

func (e *env) printPurge(r history.PurgeReport) {
	if e.json {
		jsonOut(e.out, map[string]any{"event": "history.purged", "edits": orEmpty(r.Edits), "files": orEmpty(r.Paths),
			"kept": orEmpty(r.Kept), "notes": orEmpty(r.Notes)})
		return
	}
	fmt.Fprintf(e.out, "purged: the content of %s\n", count(len(r.Edits), "edit"))
	for _, k := range r.Kept {
		fmt.Fprintf(e.out, "kept: what %s holds now\n", clean(k))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(e.out, "note: %s\n", clean(n))
	}
}

// orEmpty returns a list that is never null in JSON.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }
