package infer

import (
	"bytes"
	"testing"
	"time"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// TestReads: a token reads every matrix once, of a table that is no head a row alone.
func TestReads(t *testing.T) {
	for _, tied := range []bool{true, false} {
		c := shape("qwen2", func(c *transformer.Config) { c.TieWordEmbeddings = tied })
		pairs, tensors := gguf.Sources(c, transformer.Random(c, 1), gguf.F16)
		var b bytes.Buffer
		if err := gguf.Write(&b, pairs, tensors); err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		want := 2 * c.Parameters()
		if !tied {
			want -= 2 * int64(c.VocabSize) * int64(c.EmbeddingLength)
		}
		if got := Reads(f); got != want {
			t.Errorf("tied %v: %d bytes, not %d", tied, got, want)
		}
	}
}

// TestBandwidth: it is a figure of a computer, soon; and what reads less is faster.
func TestBandwidth(t *testing.T) {
	began := time.Now()
	speed := Bandwidth()
	t.Logf("%.1f GB/s, measured in %v", speed/1e9, time.Since(began))
	if speed < 1e8 || speed > 1e13 {
		t.Errorf("%v bytes a second", speed)
	}
	small, large := Expected(12, 60e6, 50e9), Expected(24, 500e6, 50e9)
	if !(small > 4*large && large > 0 && large < 50e9/500e6) {
		t.Errorf("60 MB: %v tokens a second; 500 MB: %v", small, large)
	}
}
