package server

import (
	"testing"
	"time"
)

// TestTheBeginningOfATurnGoesWithItsFirstEdit: what is no edit waits a moment for one, an edit waits only for
// other edits, and a project that is opened waits for nothing.
func TestTheBeginningOfATurnGoesWithItsFirstEdit(t *testing.T) {
	d := newDirty()
	d.mark(func(k *known) { k.turn = true })
	var last sent
	if texts, since := d.waiting(); texts || last.next(texts, since) <= 0 {
		t.Error("the beginning of a turn does not wait for its first edit")
	}
	d.opened("a")
	if texts, since := d.waiting(); !texts || last.next(texts, since) != 0 {
		t.Error("the first edit waits")
	}
	last.note(&Frame{})
	if last.next(true, time.Time{}) != 0 {
		t.Error("an edit waits for a frame without edits")
	}
	last.note(&Frame{Docs: []DocDelta{nil}})
	if last.next(true, time.Time{}) <= 0 {
		t.Error("edits are sent more often than the screen shows them")
	}
	d.take()
	d.mark(func(k *known) { k.hello = true })
	if texts, since := d.waiting(); (sent{}).next(texts, since) != 0 {
		t.Error("a project that is opened waits")
	}
}
