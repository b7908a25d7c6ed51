package app_test

import (
	"fmt"
	"strings"
	"testing"

	"waferpair/app"
	"waferpair/workspace/text"
)

// BenchmarkType measures one key in the middle of a 3,000-line file, with the journal and
// the recording of bursts in the background.
func BenchmarkType(b *testing.B) {
	p, err := app.Open(b.Context(), b.TempDir(), app.Options{DataHome: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	f, err := p.Show(b.Context(), "a.go")
	if err != nil {
		b.Fatal(err)
	}
	var body strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&body, "	case %d: return fmt.Sprint(%d)\n", i, i*i)
	}
	key := func(at int, s string) {
		cs, err := text.NewChangeSet(f.Text.Len(), text.Change{From: text.Byte(at), To: text.Byte(at), Insert: s})
		if err == nil {
			err = p.Type(b.Context(), "a.go", f.ID, f.Version, cs, "page")
		}
		if err == nil {
			f.Text, err = cs.Apply(f.Text)
		}
		if err != nil {
			b.Fatal(err)
		}
		f.Version++
	}
	key(0, body.String())
	i := 0
	for b.Loop() {
		key(body.Len()/2+i%40, "x")
		i++
	}
}
