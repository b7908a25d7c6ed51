package spark

import (
	"strings"
	"testing"

	"waferpair/engine/spark/decoder"
	"waferpair/wafer/transformer"
)

// TestNetwork: a decoder's file comes with a request as its tokens.
func TestNetwork(t *testing.T) {
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
	d, err := decoder.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := networkOf(file, d)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, token := range n.Tokens {
		words = append(words, n.Names[token])
	}
	if got, want := strings.Join(words, " "),
		"<s> rename #0 <func> #1 to #2 <new> #3 everywhere #4 <answer>"; got != want {
		t.Errorf("%q is %s, want %s", n.Request, got, want)
	}
	if n.Request == "" || len(n.File) != len(file) {
		t.Errorf("the request is %q, and %d bytes of %d", n.Request, len(n.File), len(file))
	}
}
