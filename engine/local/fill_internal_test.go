package local

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/engine/local/localtest"
	"waferpair/engine/model"
	"waferpair/engine/token"
)

// TestFilling: the prompt has the tokens for filling in around both texts, what the model writes is the message, and
// raw decoding gives the same. A model without such tokens says so.
func TestFilling(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fills.gguf")
	if err := localtest.Answering(path, gguf.Q8_0, "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>",
		"\treturn 1\n"); err != nil {
		t.Fatal(err)
	}
	const before, after = "func f() int {\n", "}\n"
	var shelf Shelf
	defer shelf.Close()
	m, err := shelf.Open("fills", path, "")
	if err != nil {
		t.Fatal(err)
	}
	var filler model.Filler = m
	var out model.Output
	r, err := filler.Fill(t.Context(), before, after, out.Take)
	if err != nil || r.Stop != model.StopEnd || len(out.Items()) != 1 || out.Items()[0].Text() != "\treturn 1\n" ||
		out.Items()[0].Status != model.Complete {
		t.Errorf("%+v, %+v, %v", out.Items(), r, err)
	}
	w, err := Generate(t.Context(), path, Raw{Text: before, After: after, Fill: true, Most: 9}, nil,
		func(string) error { return nil })
	if err != nil || w.Text != "\treturn 1\n" || w.Stop != "end" {
		t.Errorf("%q, %s, %v", w.Text, w.Stop, err)
	}
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := token.New(f)
	if err != nil {
		t.Fatal(err)
	}
	text := "<|fim_prefix|>" + before + "<|fim_suffix|>" + after + "<|fim_middle|>"
	if want := v.Encode(nil, text, token.Options{Special: true}); !slices.Equal(w.Prompt, want) {
		t.Errorf("%v, not %v", w.Prompt, want)
	}
	if err := localtest.Answering(path, gguf.Q8_0, "x\n"); err != nil {
		t.Fatal(err)
	}
	_, err = Generate(t.Context(), path, Raw{Text: before, After: after, Fill: true, Most: 9}, nil,
		func(string) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "trained to fill in") {
		t.Error(err)
	}
}

// TestTheNearestIsKept: of texts that are too long, what is nearest to the place.
func TestTheNearestIsKept(t *testing.T) {
	count := func(n int) (out []int32) {
		for i := range n {
			out = append(out, int32(i))
		}
		return out
	}
	for _, c := range []struct{ before, after, room, first, last int }{
		{5, 5, 20, 5, 5}, {100, 100, 20, 15, 5}, {3, 100, 20, 3, 17}, {100, 2, 20, 18, 2}, {0, 100, 20, 0, 20},
		{100, 0, 20, 20, 0},
	} {
		before, after := count(c.before), count(c.after)
		first, last := nearest(before, after, c.room)
		if !slices.Equal(first, before[c.before-c.first:]) || !slices.Equal(last, after[:c.last]) {
			t.Errorf("%+v: %v and %v", c, first, last)
		}
	}
}
