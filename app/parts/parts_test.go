package parts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine"
)

// drawEvent draws any event about one of a few hunks.
func drawEvent(t *rapid.T, long int) engine.Event {
	hunk := rapid.IntRange(1, 4).Draw(t, "hunk")
	text := rapid.SampledFrom([]string{"a", "ü", "word ", strings.Repeat("ä", long)}).Draw(t, "text")
	return rapid.SampledFrom([]engine.Event{
		engine.Prose{Text: text}, engine.Prose{Text: text},
		engine.HunkOpened{Hunk: hunk, Path: "f", Line: hunk * 10},
		engine.HunkChanged{Hunk: hunk}, engine.EditAcked{},
		engine.HunkClosed{Hunk: hunk, Path: "f", Added: hunk, Partial: hunk == 2},
		engine.HunkFailed{Hunk: hunk, Path: "f", Reason: "missing", Message: text},
		engine.Cited{Text: "f:3", Path: "f", Line: 3, OK: true}, engine.HunkReturned{Hunk: hunk, Path: "f", Line: 3},
		engine.FileMoved{Path: "f", To: "g"}, engine.Note{Text: text},
		engine.Steered{Text: "s", Steer: hunk, State: engine.SteerQueued},
		engine.Steered{Text: "s", Steer: hunk, State: engine.SteerApplied, Hunk: hunk},
	}).Draw(t, "event")
}

func TestPartsTellWhatHappened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List
		said, hunks := "", map[int]HunkState{}
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			ev := drawEvent(t, 3)
			l.Take(ev)
			switch ev := ev.(type) {
			case engine.Prose:
				said += ev.Text
			case engine.HunkOpened:
				hunks[ev.Hunk] = Open
			case engine.HunkClosed:
				hunks[ev.Hunk] = map[bool]HunkState{true: Partial, false: Done}[ev.Partial]
			case engine.HunkFailed:
				hunks[ev.Hunk] = Refused
			}
		}
		gotSaid, gotHunks, before := "", map[int]HunkState{}, false
		for _, p := range l.All() {
			prose, goesOn := p.(ProsePart)
			if gotSaid += prose.Text; goesOn && before {
				t.Fatal("prose that goes on was divided")
			}
			if hunk, ok := p.(HunkPart); ok {
				gotHunks[hunk.Hunk] = hunk.State
			}
			before = goesOn
		}
		if gotSaid != said || fmt.Sprint(gotHunks) != fmt.Sprint(hunks) {
			t.Fatalf("%q %v, want %q %v", gotSaid, gotHunks, said, hunks)
		}
	})
}

// viewer applies the deltas as a page does.
type viewer struct {
	at    Place
	parts []Part
	told  int // bytes of prose that it was sent
}

func (v *viewer) look(l *List) error {
	var news []PartDelta
	news, v.at = l.Since(v.at)
	for _, n := range news {
		switch n := n.(type) {
		case NewPart:
			if n.At > len(v.parts) {
				return fmt.Errorf("a part is added at %d of %d", n.At, len(v.parts))
			}
			v.parts = append(v.parts[:n.At], append([]Part{n.Part}, v.parts[min(n.At+1, len(v.parts)):]...)...)
			if p, ok := n.Part.(ProsePart); ok {
				v.told += len(p.Text)
			}
		case MoreText:
			p := v.parts[n.At].(ProsePart)
			p.Text += n.Text
			v.parts[n.At] = p
			v.told += len(n.Text)
		case HunkEnd:
			p := v.parts[n.At].(HunkPart)
			p.State, p.Added, p.Removed = n.State, n.Added, n.Removed
			v.parts[n.At] = p
		}
		if b, err := json.Marshal(n); err != nil || !utf8.Valid(b) || strings.Contains(string(b), `\ufffd`) {
			return fmt.Errorf("a letter was cut: %s", b)
		}
	}
	return nil
}

// TestNewsMakeUpTheList checks that viewers have the list as it is, whenever they look, and
// that each gets all prose once.
func TestNewsMakeUpTheList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := List{bounded: rapid.Bool().Draw(t, "bounded")}
		if l.bounded {
			l.bytes = maxPartBytes - 500 // it is full soon
		}
		var viewers [3]viewer
		said, half := 0, ""
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if who := rapid.IntRange(0, 6).Draw(t, "who looks"); who < len(viewers) {
				if err := viewers[who].look(&l); err != nil {
					t.Fatal(err)
				}
				continue
			}
			ev := drawEvent(t, 3)
			if rapid.Bool().Draw(t, "letters come in halves") || half != "" {
				letter := "\u00fc"
				if half == "" {
					half = letter[1:]
					ev = engine.Prose{Text: letter[:1]}
				} else {
					ev, half = engine.Prose{Text: half}, ""
				}
			}
			l.Take(ev)
			if p, ok := ev.(engine.Prose); ok {
				said += len(p.Text)
			}
		}
		l.Take(engine.Prose{Text: half})
		for i := range viewers {
			v := &viewers[i]
			if err := v.look(&l); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(v.parts, l.parts) && len(l.parts)+len(v.parts) > 0 {
				t.Fatalf("%v, want %v", v.parts, l.parts)
			}
			if v.told > said+len(half) {
				t.Fatalf("%d bytes were told of %d", v.told, said)
			}
			if news, _ := l.Since(v.at); news != nil {
				t.Fatalf("nothing happened, and %v is told", news)
			}
		}
	})
}

func TestPartsAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Bounded()
		long := rapid.SampledFrom([]int{1, maxPartBytes / 7}).Draw(t, "long")
		for range rapid.IntRange(1, 20).Draw(t, "rounds") {
			some := []engine.Event{drawEvent(t, long), drawEvent(t, long), drawEvent(t, long)}
			for i := range 120 {
				l.Take(some[i%len(some)])
			}
		}
		parts, size := l.All(), 0
		for _, p := range parts {
			b, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if size += len(b); !utf8.Valid(b) || strings.Contains(string(b), `\ufffd`) {
				t.Fatal("a letter was cut")
			}
		}
		if len(parts) > maxParts+1 || size > maxPartBytes+64<<10 {
			t.Fatalf("%d parts, %d bytes", len(parts), size)
		}
		for _, p := range parts[:max(0, len(parts)-1)] {
			if n, ok := p.(NotePart); ok && n.Text == partsCut {
				t.Fatal("it goes on behind the note that it ends")
			}
		}
		if full := len(parts) > maxParts || size > maxPartBytes; full && parts[len(parts)-
			1] != Part(NotePart{"note", partsCut}) {
			t.Fatal("what is left out is not told")
		}
	})
}

// TestRecordComesBack checks that parts of every kind are read as they were written, also
// by earlier versions, which left out zeros. Parts of an unknown kind are skipped.
func TestRecordComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l List
		for range rapid.IntRange(0, 20).Draw(t, "events") {
			l.Take(drawEvent(t, 3))
		}
		b, err := json.Marshal(Record{Parts: l.All()})
		var got Record
		if err == nil {
			err = json.Unmarshal(b, &got)
		}
		if err != nil || fmt.Sprint(got.Parts) != fmt.Sprint(l.All()) {
			t.Fatalf("%v, %v: want %v", err, got.Parts, l.All())
		}
	})
	var old Record
	if err := json.Unmarshal([]byte(`{"parts":[{"kind":"verse","text":{}},{"kind":"hunk","state":"open","hunk":1,"path":"f","line":3},{"kind":"file","what":"moved","path":"f","to":"g"}]}`), &old); err != nil {
		t.Fatal(err)
	}
	want := Kept{HunkPart{Kind: "hunk", Hunk: 1, Path: "f", Line: 3, State: Open}, FilePart{"file", Moved, "f", "g"}}
	if !reflect.DeepEqual(old.Parts, want) {
		t.Errorf("%v, want %v", old.Parts, want)
	}
}

// TestSteersInTheSameWords checks that receipts belong to their own steer if several steers
// have the same text.
func TestSteersInTheSameWords(t *testing.T) {
	var l List
	for _, ev := range []engine.Steered{{Steer: 1, State: engine.SteerQueued}, {Steer: 1, State: engine.SteerSent},
		{Steer: 2, State: engine.SteerQueued}, {Steer: 1, State: engine.SteerFailed}, {Steer: 2, State: engine.SteerSent},
		{Steer: 2, State: engine.SteerApplied, Hunk: 3}} {
		ev.Text = "again"
		l.Take(ev)
	}
	want := []Part{SteerPart{"steer", "again", engine.SteerFailed, 0, 1},
		SteerPart{"steer", "again", engine.SteerApplied, 3, 2}}
	if got := l.All(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
