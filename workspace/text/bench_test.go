package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// source returns about n bytes that look like code.
func source(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "\tresult[%d] = compute(input, %d) // naïve, line %d\n", i%97, i%13, i)
	}
	return b.String()
}

// BenchmarkEdit makes small edits at random places of a 1 MB text: the tree, the
// flat reference, and the tree through ChangeSets as the app does.
func BenchmarkEdit(b *testing.B) {
	src := source(1 << 20)
	edits := func(b *testing.B, apply func(from, to int, ins string)) {
		r := rand.New(rand.NewPCG(1, 1))
		b.ReportAllocs()
		for b.Loop() {
			from := r.IntN(1 << 20)
			apply(from, from+5, "12345")
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "edits/s")
	}
	b.Run("rope", func(b *testing.B) {
		t := OfString(src)
		edits(b, func(from, to int, ins string) { t = t.Replace(Byte(from), Byte(to), ins) })
	})
	b.Run("flat", func(b *testing.B) {
		f := flat(src)
		edits(b, func(from, to int, ins string) { f = f.replace(from, to, ins) })
	})
	b.Run("rope÷flat", func(b *testing.B) { // one after the other: copying 1 MB also empties the caches
		t, f := OfString(src), flat(src)
		r := rand.New(rand.NewPCG(1, 1))
		start := time.Now()
		for range b.N {
			from := r.IntN(1 << 20)
			t = t.Replace(Byte(from), Byte(from+5), "12345")
		}
		mid := time.Now()
		for range b.N {
			from := r.IntN(1 << 20)
			f = f.replace(from, from+5, "12345")
		}
		b.ReportMetric(float64(time.Since(mid))/float64(mid.Sub(start)), "times-faster")
	})
	b.Run("changeset", func(b *testing.B) {
		t := OfString(src)
		edits(b, func(from, to int, ins string) {
			c, _ := NewChangeSet(t.Len(), Change{Byte(from), Byte(to), ins})
			t, _ = c.Apply(t)
		})
	})
}

// BenchmarkAppend streams tokens to the end of a growing text.
func BenchmarkAppend(b *testing.B) {
	t := OfString(source(1 << 20))
	b.ReportAllocs()
	for b.Loop() {
		t = t.Replace(t.Len(), t.Len(), "token ")
	}
}

func BenchmarkOf(b *testing.B) {
	src := []byte(source(1 << 20))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Of(src)
	}
}

func BenchmarkPositions(b *testing.B) {
	t := OfString(source(1 << 20))
	r := rand.New(rand.NewPCG(1, 1))
	b.Run("ToUTF16", func(b *testing.B) {
		for b.Loop() {
			t.ToUTF16(Byte(r.IntN(1 << 20)))
		}
	})
	b.Run("FromUTF16", func(b *testing.B) {
		for b.Loop() {
			t.FromUTF16(UTF16(r.IntN(1 << 19)))
		}
	})
	b.Run("LineCol", func(b *testing.B) {
		for b.Loop() {
			t.LineCol(Byte(r.IntN(1 << 20)))
		}
	})
}

func BenchmarkDiff(b *testing.B) {
	for _, size := range []int{20 << 10, 1 << 20, 10 << 20} {
		lines := strings.SplitAfter(source(size), "\n")
		a := OfString(strings.Join(lines, ""))
		r := rand.New(rand.NewPCG(1, 1))
		one := a.Replace(a.Len()/2, a.Len()/2, "one place\n")
		edited := slices.Clone(lines)
		for range 10 {
			edited[r.IntN(len(edited))] = "changed\n"
		}
		few := OfString(strings.Join(edited, ""))
		r.Shuffle(len(edited), func(i, j int) { edited[i], edited[j] = edited[j], edited[i] })
		all := OfString(strings.Join(edited, ""))
		b.Run(fmt.Sprintf("%dKB/1place", size>>10), func(b *testing.B) {
			for b.Loop() {
				Diff(a, one)
			}
		})
		b.Run(fmt.Sprintf("%dKB/10lines", size>>10), func(b *testing.B) {
			for b.Loop() {
				Diff(a, few)
			}
		})
		b.Run(fmt.Sprintf("%dKB/shuffled", size>>10), func(b *testing.B) {
			for b.Loop() {
				Diff(a, all)
			}
		})
	}
}

// BenchmarkChangeSet measures what the live buffer does with each batch: map a user's
// keystroke over a model's edits, compose, marshal for the page.
func BenchmarkChangeSet(b *testing.B) {
	doc := OfString(source(1 << 20))
	var edits []Change
	for i := range 100 {
		from, to := doc.Line(100 * i)
		edits = append(edits, Change{from, to, "replacement\nof a line"})
	}
	model, err := NewChangeSet(doc.Len(), edits...)
	must(b, model, err)
	typed := doc.LineStart(5050)
	key, err := NewChangeSet(doc.Len(), Change{typed, typed, "x"})
	must(b, key, err)
	mapped, err := key.Map(model, true)
	must(b, mapped, err)
	data, err := model.MarshalCM(doc)
	must(b, data, err)
	after := apply(b, model, doc)
	for _, op := range []struct {
		name string
		f    func()
	}{
		{"Map", func() { key.Map(model, true) }},
		{"Compose", func() { model.Compose(mapped) }},
		{"Invert", func() { model.Invert(doc) }},
		{"Apply100", func() { model.Apply(doc) }},
		{"Apply1", func() { mapped.Apply(after) }},
		{"MarshalCM", func() { model.MarshalCM(doc) }},
		{"ParseCM", func() { ParseCM(data, doc) }},
	} {
		b.Run(op.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				op.f()
			}
		})
	}
}

func BenchmarkEncoding(b *testing.B) {
	src := source(1 << 20)
	for _, e := range []Encoding{UTF8, UTF16LE, Latin1} {
		data, _ := e.Encode(src)
		doc := Of(data)
		b.Run("Detect/"+e.String(), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				DetectEncoding(data)
			}
		})
		b.Run("Decode/"+e.String(), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				e.Decode(data)
			}
		})
		b.Run("SplitLines/"+e.String(), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				SplitLines(e, doc)
			}
		})
	}
}
