package decoder

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// tinyFile is the file of a decoder with random weights.
func tinyFile(t testing.TB, change func(c *transformer.Config)) []byte {
	t.Helper()
	v := someVocabulary(t)
	c := tinyShape(v)
	change(&c)
	file, err := Marshal(v, c, transformer.Random(c, 3))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func asItIs(*transformer.Config) {}

// TestFile: a decoder that was written and read hears what it heard before: its weights are
// exact in the file's type.
func TestFile(t *testing.T) {
	v := someVocabulary(t)
	for _, tied := range []bool{false, true} {
		c := tinyShape(v)
		c.TieWordEmbeddings = tied
		w := transformer.Random(c, 3)
		m, err := transformer.New(c, w, transformer.Float32)
		if err != nil {
			t.Fatal(err)
		}
		before, err := New(v, m)
		if err != nil {
			t.Fatal(err)
		}
		file, err := Marshal(v, c, w)
		if err != nil {
			t.Fatal(err)
		}
		after, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(after.Vocabulary, v) {
			t.Error("the vocabulary has changed")
		}
		for n := 1; n < 9; n++ {
			want, err := before.Hear(t.Context(), request(n), Usual)
			if err != nil {
				t.Fatal(err)
			}
			got, err := after.Hear(t.Context(), request(n), Usual)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%d units: heard %v, %v; want %v", n, got, err, want)
			}
		}
	}
}

// TestDamagedFile: a file in which any byte is missing or another is refused, or has the same
// weights and vocabulary as before, as with another name or other bytes of padding.
func TestDamagedFile(t *testing.T) {
	file := tinyFile(t, asItIs)
	good, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 40 {
		if _, err := Load(file[:len(file)*n/40]); err == nil {
			t.Errorf("the first %d of %d bytes are read", len(file)*n/40, len(file))
		}
	}
	f, err := gguf.Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	data := len(file) - int(f.Tensors[len(f.Tensors)-1].Offset+f.Tensors[len(f.Tensors)-1].Bytes)
	accepted := 0
	for i := 0; i < len(file); i += 7 + i/data*32 { // many bytes before the weights, and some of them
		bad := slices.Clone(file)
		bad[i] ^= 0x41
		d, err := Load(bad)
		if err != nil {
			continue
		}
		accepted++
		if i >= data && !reflect.DeepEqual(d.model, good.model) {
			t.Errorf("byte %d of the weights may be another", i-data)
		}
		if _, err := d.Hear(t.Context(), request(4), Usual); err != nil {
			t.Logf("byte %d: %v", i, err)
		}
	}
	if accepted == 0 {
		t.Error("not even another name of the model was accepted: the test does not reach what Load checks")
	}
}

// TestNotADecoder: a file that is no decoder's is refused with a reason.
func TestNotADecoder(t *testing.T) {
	v := someVocabulary(t)
	c := tinyShape(v)
	w := transformer.Random(c, 3)
	write := func(pairs []gguf.Pair, tensors []gguf.Source) []byte {
		var b bytes.Buffer
		if err := gguf.Write(&b, pairs, tensors); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	base, tensors := gguf.Sources(c, w, gguf.F16)
	with := func(more ...gguf.Pair) []byte { return write(slices.Concat(base, more), tensors) }
	list := gguf.Pair{Key: tokensKey, Value: v.Tokens}
	ops := func(text string) gguf.Pair { return gguf.Pair{Key: operationsKey, Value: text} }
	good := tinyFile(t, asItIs)
	sum := bytes.Index(good, []byte(sumKey)) + len(sumKey) + 4
	bad := slices.Clone(good)
	sumPair := gguf.Pair{Key: sumKey, Value: binary.LittleEndian.Uint32(bad[sum:])}
	binary.LittleEndian.PutUint32(bad[sum:], 7)
	for says, file := range map[string][]byte{
		"it is no GGUF file":                       []byte("not a model"),
		"load the decoder from a file of 0 bytes:": {},
		"no list of tokens":                        with(ops("[]")),
		operationsKey + " is missing":              with(list),
		operationsKey + " is no list":              with(list, ops("{")),
		"has no operations":                        with(list, ops("[]"), sumPair),
		`the vocabulary lacks "op:inline"`:         with(list, ops(`[{"name":"inline"}]`)),
		`the operation "doc" is there twice`:       with(list, ops(`[{"name":"doc"},{"name":"doc"}]`), sumPair),
		`slot "to" of "rename" is there twice`:     with(list, ops(`[{"name":"rename","slots":["to","to"]}]`), sumPair),
		sumKey + " is <nil>":                       with(list, ops(`[{"name":"doc"}]`)),
		sumKey + " is 7":                           bad,
	} {
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
}

// TestNotFinite: damaged numbers are an error of the search, and no answer.
func TestNotFinite(t *testing.T) {
	v := someVocabulary(t)
	c := tinyShape(v)
	w := transformer.Random(c, 3)
	w["output_norm.weight"].Data[5] = float32(math.NaN())
	m, err := transformer.New(c, w, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(v, m)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := d.Hear(t.Context(), request(3), Usual); err == nil {
		t.Errorf("heard %v", h)
	}
}

// FuzzLoad: whatever the bytes, Load returns a decoder that can be asked, or an error.
func FuzzLoad(f *testing.F) {
	f.Add([]byte("GGUF"))
	f.Add(tinyFile(f, asItIs))
	f.Add(tinyFile(f, func(c *transformer.Config) { c.TieWordEmbeddings, c.BlockCount = true, 1 }))
	f.Add(tinyFile(f, func(c *transformer.Config) { c.ContextLength, c.SlidingWindow = 12, 3 }))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := Load(file)
		if err != nil {
			return
		}
		h, err := d.Hear(t.Context(), request(4), Usual)
		if err != nil {
			return
		}
		for _, r := range h.Readings {
			if _, err := d.Vocabulary.Write(r.Clauses); err != nil || !(r.Probability >= 0 && r.Probability <= 1+1e-6) {
				t.Errorf("heard %v, %v", r, err)
			}
		}
	})
}
