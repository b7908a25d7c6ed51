package token

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"waferpair/engine/gguf"
)

// published are vocabularies that come with llama.cpp's sources.
var published = []string{"qwen2", "qwen35", "llama-bpe", "llama-spm", "gpt-2", "starcoder", "refact",
	"command-r", "mpt",
	"deepseek-coder"}

// oracle returns llama.cpp's program and its folder of vocabularies; 'make oracle' fetches both
// and sets ORACLE.
func oracle(t testing.TB) (program, models string) {
	t.Helper()
	program = os.Getenv("ORACLE")
	if program == "" {
		t.Skip("ORACLE is not set: 'make oracle' asks llama.cpp")
	}
	return program, filepath.Join(filepath.Dir(program), "llama.cpp", "models")
}

func open(t testing.TB, path string) *Vocabulary {
	t.Helper()
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestOracle compares every id with llama.cpp's: on the texts that it publishes, on 10 MB of source
// code, and on 100,000 random texts with and without names of special tokens.
func TestOracle(t *testing.T) {
	program, models := oracle(t)
	code := sources(t, 10<<20)
	for _, name := range published {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(models, "ggml-vocab-"+name+".gguf")
			v := open(t, path)
			sameTokens(t, v, program, path)
			samePublished(t, v, path)
			sameIDs(t, v, program, path, code, false)
			r := rand.New(rand.NewPCG(1, 2))
			id := v.texts.find("</s>")
			word := id != none && isWord(v, id)
			for _, special := range []bool{false, true} {
				texts := make([]string, 50000)
				for i := range texts {
					for texts[i] = randomText(r, v); special && word && strings.Contains(texts[i], "</s>"); {
						texts[i] = randomText(r, v)
					}
				}
				sameIDs(t, v, program, path, texts, special)
			}
			hostile := []string{strings.Repeat("a", 1<<16), strings.Repeat(" ", 1<<16), strings.Repeat("ab", 1<<15),
				strings.Repeat("\n", 5000), strings.Repeat("é", 5000), strings.Repeat("0", 5000), strings.Repeat("▁", 5000)}
			if name == "deepseek-coder" { // its expressions need a stack as deep as the text in llama.cpp
				for i := range hostile {
					hostile[i] = hostile[i][:1000]
				}
			}
			sameIDs(t, v, program, path, hostile, true)
		})
	}
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
}

// sameIDs compares the ids of texts.
func sameIDs(t *testing.T, v *Vocabulary, program, path string, texts []string, special bool) {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
	var b []byte
	for _, text := range texts {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	}
	if err := os.WriteFile(in, b, 0o600); err != nil {
		t.Fatal(err)
	}
	flag := map[bool]string{false: "0", true: "1"}[special]
	run(t, program, "tokens", path, in, out, flag)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	next := func() int32 { n := binary.LittleEndian.Uint32(b); b = b[4:]; return int32(n) }
	wrong, ids := 0, 0
	for _, text := range texts {
		want := make([]int32, next())
		for i := range want {
			want[i] = next()
		}
		ids += len(want)
		got := v.Encode(nil, text, Options{Special: special, BOS: true, EOS: true})
		if !slices.Equal(got, want) {
			if wrong++; wrong < 5 {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				t.Errorf("%.300q (special %v), from token %d on:\n got %s\nwant %s", text, special, at, named(v, got[at:]),
					named(v, want[at:]))
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d texts differ", wrong, len(texts))
	}
	t.Logf("%d texts, %d ids, special %v", len(texts), ids, special)
}

// isWord reports whether a token is </s> as a word of texts, where llama.cpp makes it the end of an answer.
func isWord(v *Vocabulary, id int32) bool { return v.kinds[id] == normal && v.Name(id) == "</s>" }

func named(v *Vocabulary, ids []int32) string {
	var b strings.Builder
	for _, id := range ids[:min(12, len(ids))] {
		fmt.Fprintf(&b, "%d %q, ", id, v.Name(id))
	}
	return b.String()
}

// sameTokens compares the bytes of all tokens, and which end an answer.
func sameTokens(t *testing.T, v *Vocabulary, program, path string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	run(t, program, "vocabulary", path, out)
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	next := func() uint32 { n := binary.LittleEndian.Uint32(b); b = b[4:]; return n }
	id := int32(0)
	for ; len(b) > 0; id++ {
		attributes, ends, size := next(), next() != 0, next()
		piece := string(b[:size])
		b = b[size:]
		if attributes&(1<<0|1<<3) != 0 { // unknown, control: no text of their own
			piece = ""
		}
		if isWord(v, id) || strings.HasPrefix(piece, "[UNK_BYTE_") { // llama.cpp's word for names that are no bytes
			continue
		}
		if got := v.Piece(id); got != piece || v.Ends(id) != ends {
			t.Errorf("token %d (%q): piece %q, ends %v; want %q, %v", id, v.Name(id), got, v.Ends(id), piece, ends)
		}
	}
	if int(id) != v.Size() {
		t.Errorf("%d tokens, want %d", v.Size(), id)
	}
}

// samePublished compares with the ids that are published beside the vocabulary.
func samePublished(t *testing.T, v *Vocabulary, path string) {
	t.Helper()
	in, err := os.ReadFile(path + ".inp")
	if err != nil {
		t.Logf("no texts are published: %v", err)
		return
	}
	out, err := os.ReadFile(path + ".out")
	if err != nil {
		t.Fatal(err)
	}
	texts := strings.Split(strings.TrimSuffix(string(in), "\n__ggml_vocab_test__\n"), "\n__ggml_vocab_test__\n")
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(texts) != len(lines) {
		t.Errorf("%d texts, %d lines of ids", len(texts), len(lines))
	}
	for i := range min(len(texts), len(lines)) {
		var want []int32
		for _, word := range strings.Fields(lines[i]) {
			id, _ := strconv.Atoi(word)
			want = append(want, int32(id))
		}
		if got := v.Encode(nil, texts[i], Options{}); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", texts[i], got, want)
		}
	}
}

// sources returns source files of Go and its standard library of so many bytes together.
func sources(t testing.TB, size int) (list []string) {
	t.Helper()
	total := 0
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"),
		func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			b, err := os.ReadFile(path)
			list, total = append(list, string(b)), total+len(b)
			if total >= size {
				return fs.SkipAll
			}
			return err
		})
	if err != nil || total < size {
		t.Skipf("%d bytes of source code, %d wanted: %v", total, size, err)
	}
	return list
}

// randomText joins a few pieces of all kinds of text.
func randomText(r *rand.Rand, v *Vocabulary) string {
	var b bytes.Buffer
	for range 1 + r.IntN(8) {
		switch r.IntN(14) {
		case 0:
			b.WriteString(strings.Repeat(pick(r, " ", "\n", "\t", "\r\n", "\u00a0", "\u2003", "\u3000", "\x0b", " \n", "\u0085"),
				1+r.IntN(5)))
		case 1:
			fmt.Fprint(&b, r.Uint64()>>r.IntN(64))
		case 2:
			b.WriteString(pick(r, "'s", "'S", "'re", "'LL", "'ve", "'d", "'M", "'t", "don't", "'", "''", "'x", "'r", "'lL"))
		case 3:
			b.WriteString(pick(r, "👩‍💻", "🇩🇪", "😀", "❤️", "👍🏽", "é", "e\u0301", "नमस्ते", "ក្", "한국어", "日本語", "𝔘", "①", "Ⅷ",
				"٣", "߀", "\u200d", "\ufeff", "▁", "▁▁x"))
		case 4:
			b.WriteByte(byte(r.IntN(0xF4)))
		case 5:
			for range 1 + r.IntN(3) {
				b.WriteByte(byte(0x80 + r.IntN(0xF4-0x80)))
			}
		case 6:
			b.WriteString(string(rune(r.IntN(0x3000))))
		case 7:
			b.WriteString(string(rune(r.IntN(0x110000))))
		case 8:
			b.WriteString(pick(r, "func", "return", "if err != nil {", "}", "()", "//", "x := 0x1F", "->",
				"==", "_", "i++", ";"))
		case 9, 10:
			b.WriteString(v.Piece(int32(r.IntN(v.Size()))))
		case 11:
			b.WriteString(v.Name(int32(v.Size() - 1 - r.IntN(min(400, v.Size())))))
		case 12:
			b.WriteString(pick(r, "<s>", "</s>", "<unk>", "<0x41>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|",
				"|>", "<tool_call>"))
		default:
			for range 1 + r.IntN(10) {
				b.WriteByte(byte('a' + r.IntN(26) - r.IntN(2)*32))
			}
		}
	}
	return b.String()
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func BenchmarkPublished(b *testing.B) {
	_, models := oracle(b)
	code := sources(b, 4<<20)
	for _, name := range []string{"qwen2", "llama-bpe", "llama-spm", "gpt-2"} {
		path := filepath.Join(models, "ggml-vocab-"+name+".gguf")
		b.Run("load "+name, func(b *testing.B) {
			begin := used()
			for b.Loop() {
				open(b, path)
			}
			b.ReportMetric(float64(used()-begin)/1e6/float64(b.N), "cpu-ms/op")
		})
		v := open(b, path)
		b.Run("encode "+name, func(b *testing.B) {
			benchmarkEncode(b, v, code)
		})
	}
}

// benchmarkEncode measures texts without a cache of words: there is none.
func benchmarkEncode(b *testing.B, v *Vocabulary, texts []string) {
	size, ids := 0, []int32(nil)
	for _, text := range texts {
		size += len(text)
	}
	b.SetBytes(int64(size))
	begin := used()
	for b.Loop() {
		ids = ids[:0]
		for _, text := range texts {
			ids = v.Encode(ids, text, Options{})
		}
	}
	b.ReportMetric(float64(len(ids)), "ids")
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(used()-begin).Seconds(), "cpu-MB/s")
}

// used returns the processor time of this process: on a busy computer it says more than the clock.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
