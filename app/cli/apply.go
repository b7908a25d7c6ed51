package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/history"
)

// maxPatch bounds the size of a patch.
const maxPatch = 64 << 20

func applyCommand(e *env) *cobra.Command {
	dryRun := false
	c := &cobra.Command{
		Use:   "apply [PATCH]",
		Short: "Apply a V4A patch (apply_patch format), all of it or nothing",
		Long: `apply reads a patch in the apply_patch (V4A) format from a file, or from standard
input, and applies it through the same pipeline as a model's edits: each edit is
kept and can be reverted. When any part of the patch has no certain place, or is
refused, nothing is written; the message says what differs (exit code 4).

Unlike other tools of this format, apply never takes the first of several places
that match, never overwrites an existing file by 'Add File', and never leaves the
project folder.`,
		Example: `  waferpair apply fix.patch
  pbpaste | waferpair apply --dry-run`,
		Args: args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, words []string) error {
			patch, err := e.readPatch(words)
			if err != nil {
				return err
			}
			return e.apply(cmd.Context(), patch, dryRun)
		},
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "check and show the patch, write nothing")
	return c
}

func (e *env) readPatch(words []string) ([]byte, error) {
	name, says := "-", "standard input"
	if len(words) == 1 && words[0] != "-" {
		name, says = words[0], words[0]
	}
	b, err := e.readAll(name, maxPatch+1)
	if errors.As(err, new(*openError)) {
		return nil, fmt.Errorf("read the patch: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the patch from %s: %w", says, err)
	}
	if len(b) > maxPatch {
		return nil, fmt.Errorf("read the patch from %s: it is larger than %d MB", says, maxPatch>>20)
	}
	return b, nil
}

func (e *env) apply(ctx context.Context, patch []byte, dryRun bool) error {
	return e.withProject(ctx, func(p *app.Project) error {
		res, err := p.ApplyPatch(ctx, patch, dryRun)
		if err != nil {
			return err
		}
		if e.json {
			for i, id := range res.Done.Edits {
				jsonEvent(e.out, engine.EditAcked{ID: int64(id), Path: res.Done.Files[i]})
			}
			for _, f := range res.Failed {
				jsonEvent(e.out, engine.HunkFailed{Path: f.Path, Reason: string(f.Reason), Message: f.Message})
			}
			jsonEvent(e.out, engine.End(res.Outcome))
			return codeOf(res.Outcome.Status)
		}
		if res.Outcome.Status != engine.Completed {
			e.showRefused(res.Outcome)
			return codeOf(res.Outcome.Status)
		}
		e.showApplied(res, dryRun)
		return nil
	})
}

// showRefused says why a turn or a patch did not complete.
func (e *env) showRefused(o engine.Outcome) {
	msg := string(o.Status) + ": " + o.Message
	if o.Status == engine.Held || o.Status == engine.Declined || o.Status == engine.Stopped { // their messages say so
		msg = o.Message
	}
	fmt.Fprintf(e.err, "waferpair: %s\n", clean(msg))
	if len(o.Outside) > 0 {
		fmt.Fprintf(e.err, "  to allow it, add: %s\n", clean(scopeFlags(o.Outside)))
	}
}

// scopeFlags returns the flags that would allow edits of the files.
func scopeFlags(paths []string) string {
	flags := make([]string, len(paths))
	for i, p := range paths {
		flags[i] = "--scope '" + strings.ReplaceAll(p, "'", `'\''`) + "'"
	}
	return strings.Join(flags, " ")
}

func (e *env) showApplied(res app.PatchResult, dryRun bool) {
	for _, f := range res.Files {
		before := history.Version{Exists: f.Op != editstream.Add, Bytes: f.Before.Bytes()}
		after := history.Version{Exists: f.Op != editstream.Delete, Bytes: f.After.Bytes()}
		e.printUnified(unified(f.Path, before, after))
	}
	switch {
	case len(res.Files) == 0:
		fmt.Fprintln(e.out, "the patch changes nothing")
		return
	case dryRun:
		fmt.Fprintln(e.out, "The patch fits; dry run: nothing was written. It would update the following files:")
	default:
		fmt.Fprintln(e.out, "Success. Updated the following files:")
	}
	for _, mark := range []struct {
		op  editstream.Op
		let string
	}{{editstream.Add, "A"}, {editstream.Update, "M"}, {editstream.Delete, "D"}} {
		for _, f := range res.Files {
			if f.Op != mark.op {
				continue
			}
			to := ""
			if f.MoveTo != "" {
				to = " -> " + f.MoveTo
			}
			fmt.Fprintf(e.out, "%s %s%s\n", mark.let, clean(f.Path), clean(to))
		}
	}
	if len(res.Done.Edits) > 0 {
		fmt.Fprintf(e.out, "kept as edit %s\n", joinIDs(res.Done.Edits))
	}
}
