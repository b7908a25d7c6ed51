package refactor_test

import (
	"context"
	"strings"
	"testing"

	"waferpair/engine/refactor"
	"waferpair/workspace/text"
)

// wrap is a toy language whose operation makes the changes that it was given.
type wrap struct {
	words
	changes []text.Change
}

func (w wrap) Run(context.Context, refactor.Source, refactor.Target, refactor.Op) (refactor.Result, error) {
	return refactor.Result{Edits: []refactor.FileEdit{{Path: "f.x", Changes: w.changes}}}, nil
}

// TestNewLinesEndAsTheirNeighbours: whatever a language ends its lines with.
func TestNewLinesEndAsTheirNeighbours(t *testing.T) {
	const doc = "a\nb\r\nc\r\nd\ne"
	at := func(s string) text.Byte { return text.Byte(strings.Index(doc, s)) }
	for _, c := range []struct {
		name   string
		change text.Change
		want   string
	}{
		{"a line of its own, below LF", text.Change{From: at("b"), To: at("b"), Insert: "x\r\n"}, "a\nx\nb\r\nc\r\nd\ne"},
		{"a line of its own, below CRLF", text.Change{From: at("d"), To: at("d"), Insert: "x\ny\n"},
			"a\nb\r\nc\r\nx\r\ny\r\nd\ne"},
		{"at the top", text.Change{Insert: "x\r\n"}, "x\na\nb\r\nc\r\nd\ne"},
		{"before a line break", text.Change{From: at("\r\nc"), To: at("\r\nc"), Insert: "\n  x"}, "a\nb\r\n  x\r\nc\r\nd\ne"},
		{"lines for lines", text.Change{From: at("b"), To: at("e"), Insert: "B\nC\nD\nD\n"}, "a\nB\r\nC\r\nD\nD\ne"},
		{"in the last line", text.Change{From: at("e"), To: at("e") + 1, Insert: "x\r\ny"}, "a\nb\r\nc\r\nd\nx\ny"},
		{"within a line", text.Change{From: at("c"), To: at("c") + 1, Insert: "longer"}, "a\nb\r\nlonger\r\nd\ne"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := refactor.Runner{Languages: []refactor.Language{wrap{words{".x"}, []text.Change{c.change}}}}
			res, err := r.Run(context.Background(), memory{"f.x": doc}, refactor.Target{File: "f.x"},
				refactor.Program{{Name: "rename"}})
			if err != nil {
				t.Fatal(err)
			}
			cs, err := text.NewChangeSet(text.Byte(len(doc)), res.Edits[0].Changes...)
			if err != nil {
				t.Fatal(err)
			}
			if now, _ := cs.Apply(text.OfString(doc)); now.String() != c.want {
				t.Errorf("got %q, want %q", now.String(), c.want)
			}
		})
	}
}
