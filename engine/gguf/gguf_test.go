package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"waferpair/wafer/transformer"
)

// written returns the bytes of a file.
func written(t testing.TB, pairs []Pair, tensors []Source) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, pairs, tensors); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(b []byte) (*File, error) { return Read(bytes.NewReader(b), int64(len(b))) }

func numbers(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	return list
}

// TestRoundTrip reads everything back that Write wrote: values of every type, arrays, and
// tensors of every type and number of dimensions.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := []Pair{{"general.architecture", "llama"}, {"general.alignment", uint32(64)}, {"u8", uint8(255)},
		{"i8", int8(-128)}, {"u16", uint16(65535)}, {"i16", int16(-2)}, {"u32", uint32(1 << 31)}, {"i32", int32(-3)},
		{"f32", float32(0.1)}, {"yes", true}, {"no", false}, {"text", "Größe\x00\xff"}, {"u64", uint64(math.MaxUint64)},
		{"i64", int64(math.MinInt64)}, {"f64", math.Pi}, {"empty", ""},
		{"texts", []string{"a", "", "\xff\xfe", strings.Repeat("x", 5000)}}, {"none", []string{}},
		{"reals", []float32{1, -2.5}}, {"wholes", []int32{-1, 2}}, {"counts", []uint32{7}}}
	tensors := []Source{{Name: "vector", Sizes: []int64{5}, Type: F32, Numbers: numbers(r, 5)},
		{Name: "matrix", Sizes: []int64{64, 3}, Type: Q8_0, Numbers: numbers(r, 192)},
		{Name: "cube", Sizes: []int64{3, 2, 2}, Type: F16, Numbers: numbers(r, 12)},
		{Name: "four", Sizes: []int64{1, 2, 1, 2}, Type: BF16, Numbers: numbers(r, 4)},
		{Name: "last", Sizes: []int64{1}, Type: F32, Numbers: []float32{float32(math.Inf(-1))}}}
	f, err := read(written(t, pairs, tensors))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Metadata) != len(pairs) || f.Version != 3 || f.data%64 != 0 {
		t.Errorf("version %d, %d values, data from %d", f.Version, len(f.Metadata), f.data)
	}
	for _, p := range pairs {
		got := f.Metadata[p.Key]
		if list, ok := got.(Array); ok {
			got = items(list, p.Value)
		}
		if !reflect.DeepEqual(got, p.Value) {
			t.Errorf("%s is %#v, want %#v", p.Key, got, p.Value)
		}
	}
	for i, s := range tensors {
		tensor, ok := f.Tensor(s.Name)
		if !ok || !reflect.DeepEqual(tensor, f.Tensors[i]) || !slices.Equal(tensor.Sizes, s.Sizes) || tensor.Type != s.Type ||
			tensor.Offset%64 != 0 {
			t.Errorf("%s is %+v", s.Name, tensor)
		}
		got, err := f.Floats(tensor)
		if err != nil {
			t.Fatal(err)
		}
		if off := most(got, s.Numbers); len(got) != len(s.Numbers) ||
			off > map[Type]float64{F16: 1e-3, BF16: 1e-2, Q8_0: 0.02}[s.Type] {
			t.Errorf("%s as %s is %v off", s.Name, s.Type, off)
		}
		width := int(s.Sizes[0])
		for first := range len(got) / width {
			rows, err := f.FloatRows(tensor, first, len(got)/width-first)
			if err != nil || !slices.Equal(rows, got[first*width:]) {
				t.Errorf("%s from row %d on: %v", s.Name, first, err)
			}
		}
	}
	if _, ok := f.Tensor("nothing"); ok {
		t.Error("a tensor that is not there")
	}
}

// items returns the items of an array, as the type of want.
func items(list Array, want any) any {
	if each, ok := list.Texts(); ok {
		texts := make([]string, list.Len)
		for i, text := range each {
			texts[i] = string(text)
		}
		return texts
	}
	values, _ := list.Numbers()
	switch want.(type) {
	case []float32:
		return converted[float32](values)
	case []int32:
		return converted[int32](values)
	}
	return converted[uint32](values)
}

func converted[T float32 | int32 | uint32](list []float64) (out []T) {
	for _, v := range list {
		out = append(out, T(v))
	}
	return out
}

// most returns the greatest difference; equal infinities do not differ.
func most(a, b []float32) (off float64) {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			off = max(off, math.Abs(float64(a[i])-float64(b[i])))
		}
	}
	return off
}

// front assembles a file by hand.
type front struct{ b []byte }

func (f *front) u32(v uint32) *front { f.b = binary.LittleEndian.AppendUint32(f.b, v); return f }
func (f *front) u64(v uint64) *front { f.b = binary.LittleEndian.AppendUint64(f.b, v); return f }
func (f *front) text(s string) *front {
	f.u64(uint64(len(s)))
	f.b = append(f.b, s...)
	return f
}
func (f *front) zeros(n int) *front { f.b = append(f.b, make([]byte, n)...); return f }

// begin returns a header of version 3.
func begin(tensors, pairs uint64) *front {
	f := &front{b: []byte(magic)}
	return f.u32(3).u64(tensors).u64(pairs)
}

// one returns a file of one tensor with the given info and so many bytes of data.
func one(sizes []uint64, kind uint32, offset uint64, data int) []byte {
	f := begin(1, 0).text("t").u32(uint32(len(sizes)))
	for _, s := range sizes {
		f.u64(s)
	}
	f.u32(kind).u64(offset)
	return f.zeros(padding(len(f.b)) + data).b
}

func padding(n int) int { return (32 - n%32) % 32 }

// two returns a file of two tensors of 32 bytes each, with so many bytes between their
// beginnings.
func two(name string, apart uint64) []byte {
	f := begin(2, 0).text("t").u32(1).u64(8).u32(0).u64(0).text(name).u32(1).u64(8).u32(0).u64(apart)
	return f.zeros(padding(len(f.b)) + 64).b
}

// hostile returns malformed files by the error that each must cause.
func hostile() map[string][]byte {
	version := func(v uint32) []byte { return (&front{b: []byte(magic)}).u32(v).u64(0).u64(0).b }
	pair := func(kind uint32) *front { return begin(0, 1).text("k").u32(kind) }
	const huge = math.MaxUint64
	return map[string][]byte{
		`begins with "" and not`:                       nil,
		`begins with "GG" and not`:                     []byte("GG"),
		`begins with "PK\x03\x04" and not with "GGUF"`: []byte("PK\x03\x04 a zip"),
		"big-endian":                            version(3 << 24),
		"version 1; versions 2 and 3":           version(1),
		"version 4; versions 2 and 3":           version(4),
		"8 bytes are said to follow, and 0 do":  []byte("GGUF\x03\x00\x00\x00"),
		"18446744073709551615 tensors":          begin(huge, 0).zeros(100).b,
		"9223372036854775808 pairs of metadata": begin(0, 1<<63).zeros(100).b,
		"metadata 1 of 1: its key is empty":     begin(0, 1).text("").u32(0).zeros(9).b,
		`the key "k" is there twice`: begin(0, 2).text("k").u32(0).zeros(1).text("k").
			u32(0).zeros(1).b,
		"no type 13 of values":                   pair(13).zeros(8).b,
		"18446744073709551615 bytes of text":     pair(8).u64(huge).zeros(8).b,
		"a bool is 2":                            append(pair(7).b, 2),
		"array of arrays":                        pair(9).u32(9).u64(1).zeros(20).b,
		"no type 99 of values":                   pair(9).u32(99).u64(1).zeros(20).b,
		"2305843009213693952 items, for which":   pair(9).u32(10).u64(1 << 61).zeros(20).b,
		"4 bytes of text, for which the 3 bytes": pair(9).u32(8).u64(1).u64(4).zeros(3).b,
		"general.alignment is 3; it has to be a power of two": begin(0, 1).text("general.alignment").u32(4).u32(3).
			b,
		"general.alignment is 0; it has to be a power of two": begin(0, 1).text("general.alignment").u32(4).u32(0).
			b,
		"general.alignment is 32; it has to be a power of two": begin(0, 1).text("general.alignment").u32(10).
			u64(32).b,
		`its name "" has 0 bytes`: begin(1, 0).text("").u32(1).u64(1).u32(0).u64(0).
			zeros(64).b,
		"has 64 bytes; it has to have 1 to 63": begin(1, 0).text(strings.Repeat("n", 64)).u32(1).
			u64(1).u32(0).u64(0).zeros(64).b,
		`the name "t" is there twice`:                                   two("t", 32),
		"has 0 dimensions":                                              one(nil, 0, 0, 64),
		"has 5 dimensions":                                              one([]uint64{1, 1, 1, 1, 1}, 0, 0, 64),
		"a dimension of it is 0":                                        one([]uint64{0}, 0, 0, 64),
		"a dimension of it is 18446744073709551615":                     one([]uint64{huge}, 0, 0, 64),
		"make more bytes than there can be":                             one([]uint64{1 << 40, 1 << 40}, 0, 0, 64),
		"sizes [4611686018427387904] make more bytes":                   one([]uint64{1 << 62}, 0, 0, 64),
		"stored as type 77, which is not known":                         one([]uint64{8}, 77, 0, 64),
		"stored as Q4_2, which was taken out":                           one([]uint64{32}, 4, 0, 64),
		"rows have 33 numbers, which are no whole blocks":               one([]uint64{33}, 8, 0, 64),
		"no multiple of the alignment 32":                               one([]uint64{8}, 0, 8, 64),
		`begins at byte 0 of the data, inside tensor`:                   two("u", 0),
		"takes 36 bytes from byte 32 of the data, and":                  one([]uint64{9}, 0, 32, 64),
		"takes 32 bytes from byte 9223372036854775776":                  one([]uint64{8}, 0, math.MaxInt64-31, 64),
		"begins at byte 9223372036854775807 of the data, which":         one([]uint64{8}, 0, huge, 64),
		"takes 400 bytes from byte 0 of the data, and the data have 64": one([]uint64{100}, 0, 0, 64),
	}
}

// TestHostileFiles checks that each malformed file is refused with its error and takes no
// memory.
func TestHostileFiles(t *testing.T) {
	for says, b := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(b)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<16 {
			t.Errorf("%s: %d bytes were taken for a file of %d", says, used, len(b))
		}
	}
}

// TestCutFiles checks that a file cut at any byte is refused, and a whole one is not.
func TestCutFiles(t *testing.T) {
	whole := written(t, []Pair{{"general.architecture", "llama"}, {"texts", []string{"a", "bc"}},
		{"reals", []float32{1, 2}}},
		[]Source{{Name: "t", Sizes: []int64{32, 2}, Type: Q8_0, Numbers: make([]float32, 64)},
			{Name: "u", Sizes: []int64{3}, Type: F32, Numbers: make([]float32, 3)}})
	data := len(whole) - 20 // the padding of the last tensor may be missing
	for n := range data {
		if _, err := read(whole[:n]); err == nil {
			t.Errorf("cut to %d of %d bytes it is read", n, len(whole))
		}
	}
	if _, err := read(whole[:data]); err != nil {
		t.Error(err)
	}
}

// counted is a file of any length that is zeros after its front.
type counted struct {
	front []byte
	read  int64
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	c.read += int64(len(b))
	clear(b)
	if at < int64(len(c.front)) {
		copy(b, c.front[at:])
	}
	return len(b), nil
}

// TestLargeFile checks that Open reads only the bytes before the data of a 10 GB file.
func TestLargeFile(t *testing.T) {
	const rows = 1 << 20
	f := begin(1, 1).text("texts").u32(9).u32(8).u64(150000)
	for range 150000 {
		f.text("token")
	}
	f.text("table").u32(2).u64(2560).u64(rows).u32(0).u64(0)
	large := &counted{front: f.b}
	got, err := Read(large, int64(len(f.b))+10<<30+64)
	if err != nil {
		t.Fatal(err)
	}
	if tensor := got.Tensors[0]; tensor.Bytes != 10<<30 {
		t.Errorf("%+v", tensor)
	}
	if large.read > 2*int64(len(f.b))+step {
		t.Errorf("%d bytes were read of a front of %d", large.read, len(f.b))
	}
	if texts, ok := got.Metadata["texts"].(Array).Strings(); !ok || len(texts) != 150000 || texts[149999] != "token" {
		t.Errorf("%d texts", len(texts))
	}
}

// TestFileThatChanges checks that the error names a file that is cut, or fails, while open.
func TestFileThatChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.gguf")
	b := written(t, nil, []Source{{Name: "t", Sizes: []int64{4096}, Type: F32, Numbers: make([]float32, 4096)}})
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, int64(len(b)-5000)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Floats(f.Tensors[0]); err == nil || !strings.Contains(err.Error(), path) ||
		!strings.Contains(err.Error(), "became shorter") {
		t.Errorf("%v", err)
	}
	broken := errors.New("the disk is gone")
	if _, err := Read(failing{broken}, 100); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

// TestOpenNamesThePath checks the errors for paths that are no files.
func TestOpenNamesThePath(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "missing.gguf"), t.TempDir(), "/dev/null", pipe} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestTypesNotRead checks that Floats refuses other types by name; the file opens.
func TestTypesNotRead(t *testing.T) {
	f, err := read(one([]uint64{256}, 10, 0, 96))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Floats(f.Tensors[0]); err == nil || !strings.Contains(err.Error(), `tensor "t" is stored as Q2_K`) {
		t.Errorf("%v", err)
	}
}

// TestWriteRefuses checks that Write refuses what Read would refuse.
func TestWriteRefuses(t *testing.T) {
	for says, s := range map[string]Source{
		"it has 3 numbers, and its sizes [4] are of 4": {Name: "t", Sizes: []int64{4}, Type: F32,
			Numbers: make([]float32, 3)},
		"no whole blocks of 32": {Name: "t", Sizes: []int64{4}, Type: Q8_0,
			Numbers: make([]float32, 4)},
		"it has 0 dimensions": {Name: "t", Sizes: nil, Type: F32, Numbers: nil},
		"a name of 0 bytes":   {Name: "", Sizes: []int64{1}, Type: F32, Numbers: make([]float32, 1)},
		"numbers are not written as Q4_1": {Name: "t", Sizes: []int64{32}, Type: 3,
			Numbers: make([]float32, 32)},
	} {
		if err := Write(io.Discard, nil, []Source{s}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
	if err := Write(io.Discard, []Pair{{"k", struct{}{}}}, nil); err == nil ||
		!strings.Contains(err.Error(), "values of type struct {} are not written") {
		t.Errorf("%v", err)
	}
}

// TestModelRoundTrip checks that a model of each family survives a file.
func TestModelRoundTrip(t *testing.T) {
	for _, architecture := range transformer.Families {
		c := transformer.Defaults(architecture)
		c.Name, c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize, c.ContextLength = "tiny",
			2, 24, 40, 50, 128
		c.HeadCount, c.HeadCountKV, c.KeyLength, c.SlidingWindow, c.BitsPerWeight = 6, 2, 8, 7, 32
		c.TieWordEmbeddings = architecture == "qwen3"
		c.RMSEpsilon, c.Rope = 0x1p-20, transformer.Rope{FreqBase: 5000, Scaling: transformer.Scaling{Type: transformer.Yarn,
			Factor: 4, OriginalContextLength: 32, AttnFactor: 1.5, BetaFast: 16, BetaSlow: 2}}
		w := transformer.Random(c, 3)
		pairs, tensors := Sources(c, w, F32)
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := os.WriteFile(path, written(t, pairs, tensors), 0o600); err != nil {
			t.Fatal(err)
		}
		gotConfig, gotWeights, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if gotConfig != c || !reflect.DeepEqual(gotWeights, w) {
			t.Errorf("%s: %+v, want %+v", architecture, gotConfig, c)
		}
	}
}

// TestModelsThatAreRefused checks models with an unknown forward pass, or with metadata
// that would change it: the error names the reason.
func TestModelsThatAreRefused(t *testing.T) {
	c := transformer.Defaults("llama")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = 1, 8, 8, 10
	c.HeadCount, c.HeadCountKV, c.KeyLength = 2, 1, 4
	whole, tensors := Sources(c, transformer.Random(c, 1), F32)
	with := func(more ...Pair) []Pair {
		kept := slices.DeleteFunc(slices.Clone(whole), func(p Pair) bool {
			return slices.ContainsFunc(more, func(q Pair) bool { return p.Key == q.Key })
		})
		return append(kept, more...)
	}
	without := func(key string) []Pair {
		return slices.DeleteFunc(slices.Clone(whole), func(p Pair) bool { return p.Key == key })
	}
	bias := append(slices.Clone(tensors), Source{Name: "blk.0.attn_output.bias", Sizes: []int64{8}, Type: F32,
		Numbers: make([]float32, 8)})
	for _, r := range []struct {
		says    string
		pairs   []Pair
		tensors []Source
	}{
		{`architecture "gemma3" is not one of`, gemma(whole), tensors},
		{"no general.architecture", without("general.architecture"), tensors},
		{"block_count missing", without("llama.block_count"), tensors},
		{"no table token_embd.weight", whole, tensors[1:]},
		{"tensor blk.0.attn_norm.weight is missing", whole, slices.Delete(slices.Clone(tensors), 1, 2)},
		{"tensor blk.0.attn_q.weight is missing", whole, slices.Delete(slices.Clone(tensors), 2, 3)},
		{"tensor blk.0.ffn_down.weight is 8 x 8; the shape asks for 8 x 4",
			with(Pair{"llama.feed_forward_length", uint32(4)}), tensors},
		{"it says that it has 1000000 layers, and has 12 tensors", with(Pair{"llama.block_count", uint32(1000000)}), tensors},
		{"tensor blk.0.attn_output.bias has no place", whole, bias},
		{"it is one of 3 files", with(Pair{"split.count", uint16(3)}), tensors},
		{"llama.attention.scale is 0.5: this pass does not know it",
			with(Pair{"llama.attention.scale", float32(0.5)}), tensors},
		{"llama.attention.value_length is 8 and the heads are of 4",
			with(Pair{"llama.attention.value_length", uint32(8)}), tensors},
		{"llama.attention.head_count_kv: it differs between layers",
			with(Pair{"llama.attention.head_count_kv", []int32{1, 2}}), tensors},
		{"llama.block_count: \"two\" is not a whole number", with(Pair{"llama.block_count", "two"}), tensors},
		{"layers is 0", with(Pair{"llama.block_count", uint32(0)}), tensors},
		{"llama.attention.causal is false", with(Pair{"llama.attention.causal", false}), tensors},
		{`scaling of its rotary embedding is "longrope"`, with(Pair{"llama.rope.scaling.type", "longrope"}), tensors},
	} {
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := os.WriteFile(path, written(t, r.pairs, r.tensors), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(path); err == nil || !strings.Contains(err.Error(), r.says) ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("%v; want %q", err, r.says)
		}
		runs := strings.Contains(r.says, "is not one of") || strings.Contains(r.says, "has no place") ||
			strings.Contains(r.says, "longrope")
		if _, err := LoadConfig(path); !runs && (err == nil || !strings.Contains(err.Error(), r.says)) {
			t.Errorf("of the shape alone: %v; want %q", err, r.says)
		}
	}
	equal := written(t, with(Pair{"llama.attention.head_count_kv", []int32{1, 1}},
		Pair{"tokenizer.ggml.tokens", []string{"a"}}), tensors)
	f, err := read(equal)
	if err != nil {
		t.Fatal(err)
	}
	f.Path = "some/where/tiny.gguf"
	if got, err := f.Config(); err != nil || got.HeadCountKV != 1 || got.Name != "tiny" {
		t.Errorf("KV heads that are the same in every layer: %+v, %v", got, err)
	}
}

// gemma returns the same parameters for another architecture.
func gemma(pairs []Pair) (list []Pair) {
	for _, p := range pairs {
		p.Key = strings.Replace(p.Key, "llama.", "gemma3.", 1)
		if p.Key == "general.architecture" {
			p.Value = "gemma3"
		}
		list = append(list, p)
	}
	return list
}

// FuzzRead checks that reading any bytes ends with a complete file or with an error, and
// never takes more memory than a small multiple of the bytes.
func FuzzRead(f *testing.F) {
	for _, b := range hostile() {
		f.Add(b)
	}
	c := transformer.Defaults("qwen2")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = 1, 4, 4, 4
	c.HeadCount, c.HeadCountKV, c.KeyLength = 2, 1, 2
	pairs, tensors := Sources(c, transformer.Random(c, 1), F16)
	f.Add(written(f, append(pairs, Pair{"tokenizer.ggml.tokens", []string{"a", "b"}}), tensors))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := read(b)
		if err != nil {
			return
		}
		for _, tensor := range file.Tensors {
			list, err := file.Floats(tensor)
			if err == nil && (int64(len(list)) != tensor.Numbers() || len(list) > len(b)) {
				t.Errorf("%+v: %d numbers of a file of %d bytes", tensor, len(list), len(b))
			}
		}
		for _, v := range file.Metadata {
			if list, ok := v.(Array); ok {
				texts, isTexts := list.Strings()
				values, isNumbers := list.Numbers()
				if isTexts == isNumbers || len(texts)+len(values) != list.Len {
					t.Errorf("an array of %d has %d texts and %d numbers", list.Len, len(texts), len(values))
				}
			}
		}
		if c, err := file.Config(); err == nil && c.Runnable() == nil {
			if w, err := file.Weights(); err == nil && w.Check(c) == nil {
				if _, err := transformer.New(c, w, transformer.Float32); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
