package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
)

// What a model gets back for an edit that failed: why, and the lines that the file has where the
// edit most likely belongs. It goes back once; see engine.HunkReceipt.Returns.

// Bounds of the lines that go back for one edit.
const (
	aroundEdit = 6   // lines before and after the place
	wholeSmall = 120 // a file of so few lines goes back whole when the place is unknown
)

// toReturn returns the edits that go back.
func toReturn(hunks []engine.HunkReceipt) []engine.HunkReceipt {
	return slices.DeleteFunc(slices.Clone(hunks), func(h engine.HunkReceipt) bool {
		return h.Refused == "" || !h.Returns()
	})
}

// callOutput is the output of a call that edited: what was made, and what goes back.
func (d *drive) callOutput(ctx context.Context, r engine.Receipt) string {
	out := d.masked(r.String())
	failed := toReturn(r.Hunks)
	if r.Cut != "" || !d.language {
		return out
	}
	if len(failed) == 0 {
		if slices.ContainsFunc(r.Hunks, func(h engine.HunkReceipt) bool { return h.Refused != "" && h.Try > 1 }) {
			out += "\nThis was the second try: the user decides about it now, do not send it again."
		}
		return out
	}
	d.host.Return(failed)
	return out + d.trueLines(ctx, failed) +
		"\nSend these edits once more, as the lines above have them, and only these: " +
		"what was made is in place."
}

// masked hides secrets in what the program says of a file's lines.
func (d *drive) masked(words string) string {
	if m, ok := d.prompt.Files.(model.Masker); ok {
		return string(m.Masked("", []byte(words)))
	}
	return words
}

// askAgain returns the message that asks for the edits of a text again.
func (d *drive) askAgain(ctx context.Context, failed []engine.HunkReceipt) model.Item {
	d.host.Return(failed)
	var b strings.Builder
	one := len(failed) == 1
	fmt.Fprintf(&b, "%d %s of your answer %s not made. Everything else of it is in place.\n", len(failed),
		map[bool]string{true: "edit", false: "edits"}[one], map[bool]string{true: "was", false: "were"}[one])
	for _, h := range failed {
		b.WriteString("\n" + d.masked(h.String()))
	}
	b.WriteString(d.trueLines(ctx, failed))
	b.WriteString("\nWrite these edits once more, as the lines above have them, in the same format, and only these.")
	i := model.User(b.String())
	i.Role = model.RoleDeveloper
	return i
}

// trueLines returns the lines around the places of failed edits, with their numbers.
func (d *drive) trueLines(ctx context.Context, failed []engine.HunkReceipt) string {
	var b strings.Builder
	for _, h := range failed {
		if h.Path != "" {
			b.WriteString("\n" + excerpt(ctx, d.prompt.Files, h))
		}
	}
	return b.String()
}

func excerpt(ctx context.Context, files model.Source, h engine.HunkReceipt) string {
	lines, err := linesOf(ctx, files, h.Path)
	switch {
	case err != nil:
		return fmt.Sprintf("(%v)\n", err)
	case len(lines) == 0:
		return fmt.Sprintf("%s is empty.\n", h.Path)
	}
	from, to := h.Near-aroundEdit, h.Near+h.Lines+aroundEdit
	if h.Near == 0 {
		if h.Reason == editstream.Ambiguous {
			return ""
		}
		from, to = 1, wholeSmall
	}
	from, to = max(min(from, len(lines)), 1), min(to, len(lines), max(from, 1)+wholeSmall-1)
	shown, until := numbered(lines, from, to)
	return fmt.Sprintf("%s has, from line %d to %d of %d:\n%s", h.Path, from, until, len(lines), shown)
}
