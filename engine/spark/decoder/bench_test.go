package decoder

import (
	"fmt"
	"strings"
	"testing"

	"waferpair/engine/spark/link"
	"waferpair/wafer/transformer"
)

// sized is a decoder of the size of the real one, with random weights.
func sized(b *testing.B, width, feed int) *Decoder {
	b.Helper()
	words := []string{"<func>", "<new>", "<pointer>"}
	for i := range 3800 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	var ops []Op
	for i := range 32 {
		ops = append(ops, Op{Name: fmt.Sprintf("op%d", i), Slots: strings.Fields("symbol to file owner"),
			Fixed: []string{"kind=func", "kind=type", "all=true"}})
	}
	v, err := NewVocabulary(ops, words)
	if err != nil {
		b.Fatal(err)
	}
	c := transformer.Defaults("llama")
	c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = "decoder", 4, width, feed, len(v.Tokens)
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.ContextLength, c.TieWordEmbeddings = width/32, width/32, 32, 256, true
	m, err := transformer.New(c, transformer.Random(c, 1), transformer.Float32)
	if err != nil {
		b.Fatal(err)
	}
	d, err := New(v, m)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// BenchmarkHear hears a request of 30 units, with a beam of four for ten tokens.
func BenchmarkHear(b *testing.B) {
	text := strings.Repeat("word1 word20 word300 word77 word3000 ", 6)
	units := link.Linker{}.Link(text, link.NewTable(nil, nil))
	for _, size := range [][2]int{{192, 512}, {224, 640}} {
		d := sized(b, size[0], size[1])
		d.Config.ContextLength = 2*len(units) + 2 + 10
		b.Run(fmt.Sprintf("width%d", size[0]), func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Hear(b.Context(), units, Search{Width: 4, Readings: 100}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(d.Config.Parameters())/1e6, "Mparameters")
		})
	}
}
