package app_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"waferpair/app"
	"waferpair/app/query"
	"waferpair/history"
)

// TestPagesReadWhileATurnWrites runs every query over and over while edits are made, typed
// over and reverted. No answer may be an error, or name lines that the file does not have.
func TestPagesReadWhileATurnWrites(t *testing.T) {
	w := newWorld(t, map[string]string{"a.go": lines(200), "b.go": lines(200)})
	p := w.open()
	answer := []any{}
	for i := range 30 {
		answer = append(answer, 1, patch(fmt.Sprintf("*** Update File: %c.go\n@@\n line %d\n-line %d\n+line %d, changed\n",
			'a'+rune(i%2), 3*i+1, 3*i+2, 3*i+2)))
	}
	done := make(chan struct{})
	var reading sync.WaitGroup
	for name, read := range readers(w, p) {
		reading.Go(func() {
			for {
				if err := read(); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	o := w.run(p, w.script(answer...))
	_, err := p.Revert(t.Context(), app.RevertRequest{Turn: 1})
	close(done)
	reading.Wait()
	w.ok(err)
	if len(o.Edits) != 30 {
		t.Fatalf("%d edits: %s", len(o.Edits), o.Message)
	}
	tl, err := p.Query().Timeline(t.Context(), history.Page{})
	w.ok(err)
	if len(tl.IDs) != 32 || len(tl.Undone) != 30 {
		t.Fatalf("%d edits, %d undone", len(tl.IDs), len(tl.Undone))
	}
	w.is(w.review(p, "a.go")+w.disk("a.go"), lines(200))
}

func readers(w *world, p *app.Project) map[string]func() error {
	ctx := w.Context()
	last, seen := history.EditID(0), atomic.Int64{}
	return map[string]func() error{
		"tree":    func() error { _, err := p.Query().Tree(ctx, ""); return err },
		"symbols": func() error { _, err := p.Query().Symbols(ctx, "line", "", 5); return err },
		"grep": func() error {
			_, err := p.Query().Grep(ctx, query.GrepQuery{Text: "changed"}, func(query.GrepMatch) error { return nil })
			return err
		},
		"review": func() error { _, _, err := p.Query().Review(ctx, "b.go"); return err },
		"blame": func() error {
			runs, _, err := p.Query().Blame(ctx, "a.go")
			n := 1
			for _, r := range runs {
				if r.From != n || r.Lines < 1 {
					return fmt.Errorf("run %+v does not begin at line %d", r, n)
				}
				n += r.Lines
			}
			if err == nil && n != 201 && n != 200 { // a line may be half replaced
				err = fmt.Errorf("blame is about %d lines", n-1)
			}
			return err
		},
		"timeline": func() error {
			tl, err := p.Query().Timeline(ctx, history.Page{After: last})
			if err == nil && len(tl.IDs) > 0 {
				if tl.IDs[0] != last+1 {
					err = fmt.Errorf("after edit %d comes %d", last, tl.IDs[0])
				}
				last = tl.IDs[len(tl.IDs)-1]
				seen.Store(int64(last))
			}
			return err
		},
		"conversation": func() error { _, err := p.Query().Conversation(ctx, 0, 0, 10); return err },
		"diffs": func() error {
			_, err := p.Query().Diffs(ctx, query.DiffRequest{Review: true})
			return err
		},
		"past": func() error {
			v, err := p.Query().Text(ctx, history.EditID(seen.Load()/2), "a.go")
			if err == nil && strings.Count(string(v.Bytes), "\n") != 200 {
				err = fmt.Errorf("the past has %d lines", strings.Count(string(v.Bytes), "\n"))
			}
			return err
		},
	}
}
