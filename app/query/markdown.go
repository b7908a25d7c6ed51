package query

import (
	"fmt"
	"strings"
	"time"

	"waferpair/app/parts"
)

// Markdown returns a conversation as a document: requests as quotes, answers as they are, and what
// became of each edit in between.
func (c Conversation) Markdown(zone *time.Location) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", oneLine(c.Session.Title))
	for _, t := range c.Turns {
		asked := ""
		if t.Mode != "" {
			asked = ", a question"
		}
		fmt.Fprintf(&b, "\n## Turn %d\n\n%s, %s%s\n", t.Turn, t.Started.In(zone).Format("2006-01-02 15:04"), code(t.Model),
			asked)
		b.WriteString("\n" + quoted(t.Request))
		t.answer(&b)
		if t.Status != "" {
			fmt.Fprintf(&b, "\n*%s*\n", ending(t))
		}
	}
	return b.String()
}

func ending(t PastTurn) string {
	if t.Message == "" {
		return t.Status
	}
	return t.Status + ": " + strings.ReplaceAll(oneLine(t.Message), "*", `\*`)
}

// answer writes the parts of a turn.
func (t PastTurn) answer(b *strings.Builder) {
	if len(t.Parts) == 0 && t.Prose != "" {
		fmt.Fprintf(b, "\n%s\n", t.Prose)
	}
	list := false
	for _, p := range t.Parts {
		if prose, ok := p.(parts.ProsePart); ok {
			if text := strings.Trim(prose.Text, "\n"); strings.TrimSpace(text) != "" {
				fmt.Fprintf(b, "\n%s\n", text)
			}
			list = false
			continue
		}
		if s, ok := p.(parts.SteerPart); ok {
			b.WriteString("\n" + quoted(s.Text))
			list = false
			continue
		}
		if line := partLine(p); line != "" {
			if !list {
				b.WriteString("\n")
			}
			list = true
			fmt.Fprintf(b, "- %s\n", line)
		}
	}
}

// partLine describes a part that is not text of somebody; "" when there is nothing to say.
func partLine(p parts.Part) string {
	switch p := p.(type) {
	case parts.HunkPart:
		switch p.State {
		case parts.Refused:
			back := ""
			if p.Returned {
				back = ", sent back to the model"
			}
			return fmt.Sprintf("%s: not edited%s: %s", code(p.Path), back, oneLine(p.Message))
		case parts.Partial:
			return fmt.Sprintf("%s, line %d: +%d -%d, cut off", code(p.Path), p.Line, p.Added, p.Removed)
		case parts.Open, parts.Done:
		}
		return fmt.Sprintf("%s, line %d: +%d -%d", code(p.Path), p.Line, p.Added, p.Removed)
	case parts.FilePart:
		if p.To != "" {
			return fmt.Sprintf("%s: %s to %s", code(p.Path), p.What, code(p.To))
		}
		return fmt.Sprintf("%s: %s", code(p.Path), p.What)
	case parts.CitationPart:
		if !p.OK {
			return fmt.Sprintf("%s does not exist: %s", code(p.Text), oneLine(p.Why))
		}
	case parts.NotePart:
		return oneLine(p.Text)
	}
	return ""
}

// quoted returns words as a quote.
func quoted(words string) string {
	return "> " + strings.ReplaceAll(strings.TrimRight(words, "\n"), "\n", "\n> ") + "\n"
}

// code returns a code span, with a fence that is longer than any in the text.
func code(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + oneLine(s) + " " + fence
	}
	return fence + oneLine(s) + fence
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
