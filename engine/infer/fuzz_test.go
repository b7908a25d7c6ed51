package infer

import (
	"bytes"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// FuzzLoad loads changed files and runs a few tokens of those that load: no crash, and no
// more memory than the file has bytes for.
func FuzzLoad(f *testing.F) {
	for i, kind := range []gguf.Type{gguf.Q8_0, gguf.Q4_0, gguf.F16, gguf.Q5_1} {
		c := transformer.Defaults(transformer.Families[i%3])
		c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize, c.ContextLength = 1, 32, 32, 8, 16
		c.HeadCount, c.HeadCountKV, c.KeyLength = 2, 1, 16
		pairs, tensors := gguf.Sources(c, transformer.Random(c, 1), gguf.F32)
		for i := range tensors {
			if len(tensors[i].Sizes) > 1 {
				tensors[i].Type = kind
			}
		}
		var b bytes.Buffer
		if err := gguf.Write(&b, pairs, tensors); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := gguf.Read(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			return
		}
		for _, backend := range Backends() {
			m, err := Load(file, Options{Backend: backend, Threads: 2})
			if err != nil {
				return
			}
			s := begun(t, m)
			for range 2 {
				if _, err := m.Forward(t.Context(), s, make([]int32, min(3, s.Capacity())), All); err != nil {
					break
				}
			}
			m.Close()
		}
	})
}
