package infer

import (
	"errors"
	"math"
	"strings"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/engine/infer/kernel"
	"waferpair/engine/quant"
	"waferpair/wafer/transformer"
)

// shaped returns the plan of a file of a shape, all matrices of one type, without its data.
func shaped(c transformer.Config, kind gguf.Type) *plan {
	p := &plan{config: c}
	for _, s := range c.Tensors() {
		if s.Rows == 1 {
			continue
		}
		row := rowBytes(uint32(kind), int64(s.Cols))
		t := gguf.Tensor{Name: s.Name, Sizes: []int64{int64(s.Cols), int64(s.Rows)}, Type: kind, Bytes: row * int64(s.Rows)}
		name := kernel.Q // stands for all that are stored as most are
		for part, of := range map[string]kernel.Name{"token_embd": kernel.Table, "output.": kernel.Head, "attn_v": kernel.V,
			"ffn_down": kernel.Down} {
			if strings.HasPrefix(s.Name, part) || strings.HasSuffix(s.Name, part+".weight") {
				name = of
			}
		}
		p.list = append(p.list, source{which: kernel.Which{Name: name}, tensor: t, rows: s.Rows})
	}
	return p
}

// TestWhatWouldFit: of a model with the shape of Qwen2.5-Coder 7B, whose files are published, sizes by their
// types come out within a twentieth, and the best one that fits is named.
func TestWhatWouldFit(t *testing.T) {
	c := transformer.Defaults("qwen2")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = 28, 3584, 18944, 152064
	c.HeadCount, c.HeadCountKV, c.KeyLength = 28, 4, 128
	f16 := shaped(c, quant.F16)
	published := map[string]float64{"Q8_0": 8.10e9, "Q6_K": 6.25e9, "Q5_K_M": 5.44e9, "Q4_K_M": 4.68e9}
	for _, m := range mixtures {
		if got := float64(f16.bytesAs(m) - PassRoom); math.Abs(got/published[m.name]-1) > 0.05 {
			t.Errorf("%s: %.3g bytes, published are %.3g", m.name, got, published[m.name])
		}
	}
	for have, want := range map[int64]string{1 << 40: "", 9e9: "Q8_0", 8e9: "Q6_K", 6e9: "Q5_K_M", 5e9: "Q4_K_M",
		1e9: "no usual quantisation"} {
		err := f16.tooLarge(have, "there are", "wait")
		if want == "" {
			if err != nil {
				t.Errorf("%d: %v", have, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "are missing") {
			t.Errorf("%d: %v, not %s", have, err, want)
		}
	}
	var no *TooLarge
	if err := shaped(c, quant.Q4_K).tooLarge(4.2e9, "there are", "wait"); !errors.As(err, &no) || no.Fits != "" {
		t.Errorf("one that is small already: %v", err)
	}
}

// TestRowsOfOtherWidths: rows that are no blocks of 256 take the types that stand for them.
func TestRowsOfOtherWidths(t *testing.T) {
	for _, of := range []struct {
		kind       uint32
		cols, want int64
	}{{quant.Q4_K, 512, 288}, {quant.Q4_K, 896, 616}, {quant.Q5_K, 896, 672}, {quant.Q6_K, 896, 952},
		{quant.Q8_0, 40, 80}} {
		if got := rowBytes(of.kind, of.cols); got != of.want {
			t.Errorf("%d of type %d take %d bytes, not %d", of.cols, of.kind, got, of.want)
		}
	}
}
