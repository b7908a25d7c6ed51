package spark

import (
	"strings"
	"testing"

	"waferpair/engine/spark/decoder"
	"waferpair/wafer/transformer"
)

// TestNetworkIn: a decoder's file comes with a request as its tokens; a damaged one is an
// error, and no file is no network.
func TestNetworkIn(t *testing.T) {
	v, err := decoder.NewVocabulary([]decoder.Op{{Name: "rename", Slots: []string{"symbol", "to"}}},
		strings.Fields("rename to everywhere <func> <new>"))
	if err != nil {
		t.Fatal(err)
	}
	c := transformer.Defaults("llama")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = 1, 8, 8, len(v.Tokens)
	c.HeadCount, c.HeadCountKV, c.KeyLength, c.ContextLength = 1, 1, 8, 64
	file, err := decoder.Marshal(v, c, transformer.Random(c, 1))
	if err != nil {
		t.Fatal(err)
	}
	n, err := networkIn(file)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, token := range n.Tokens {
		words = append(words, n.Names[token])
	}
	if got, want := strings.Join(words, " "), "<s> rename #0 <func> #1 to #2 <new> #3 everywhere #4 =>"; got != want {
		t.Errorf("%q is %s, want %s", n.Request, got, want)
	}
	file[len(file)-64] ^= 1
	if _, err := networkIn(file); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged file: %v", err)
	}
	if n, err := networkIn(nil); err != nil || n.File != nil {
		t.Errorf("no file: %v, %v", n, err)
	}
}
