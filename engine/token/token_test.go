package token

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"waferpair/build/testseed"
	"waferpair/engine/gguf"
)

// texts are texts of all kinds, for training small vocabularies and for comparing ids.
var samples = []string{
	"", " ", "  ", "   ", "\t", "\n", "\n\n", "\n\n\n", "\t\n", "Hello world", " Hello world", "Hello World!",
	" Hello, world!", "this is 🦙.cpp", "w048 7tuijk dsdfhu", "нещо на Български", "កាន់តែពិសេសអាចខលចេញ",
	"🚀 (normal) 😶‍🌫️ (multiple emojis)", "Hello\n Hello", "ied 4 ½ months", "'era",
	"Hello, y'all! How are you 😁 ?我想在apple工作1314151天～", "!!!!!!",
	"3 33 333 3333 33333 333333", "I'll, I'LL, don't DON'T; he'd, we've 'sam 's's", "\u00a0x \u2003y\u3000z\u0085",
	"func (v *Vocabulary) Size() int {\n\treturn len(v.kinds)\n}\n",
	"if err != nil {\n\t\treturn nil, fmt.Errorf(\"%w\", err)\n\t}\n",
	"for i := 0; i < 10; i++ {\r\n\tx[i] = 0xFF\r\n}\r\n", "a\u0301e\u0301 नमस्ते दुनिया",
	"<|im_start|>user\nHi<|im_end|>\n", "<tool_call>x</tool_call>",
	"<s>no</s><unk><0x41>", "the quick brown fox jumps over the lazy dog, and then the dog sleeps the whole day",
	"return the length of the longest common prefix of the strings in the list", "   leading and trailing   ",
	"tab\t\ttab  x", "① Ⅷ ٣ ߀ 𝔘", "\u2581a\u2581\u2581b",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "日本語 한국어 中文",
	"\ufeffBOM", "a\u200db", "import (\n\t\"fmt\"\n\t\"strings\"\n)\n", "\U000323af\U0002ebf0x",
}

// broken are texts that are no UTF-8.
var broken = []string{"\xff", "a\xc3", "\xe2\x82", "\xf0\x9f\x98", "ok\x80\x80ok", "\xc0\xafx",
	"\xed\xa0\x80y", "é\xe9 \xe9l"}

// madeUp returns a small vocabulary, trained on the samples: the same on every computer.
func madeUp(pattern string) []gguf.Pair {
	trainedOnce.Lock()
	defer trainedOnce.Unlock()
	if trainedOnce.of[pattern] == nil {
		trainedOnce.of[pattern] = train(pattern)
	}
	return slices.Clone(trainedOnce.of[pattern])
}

var trainedOnce = struct {
	sync.Mutex
	of map[string][]gguf.Pair
}{of: map[string][]gguf.Pair{}}

func train(pattern string) []gguf.Pair {
	pairs := []gguf.Pair{{Key: "general.architecture", Value: "llama"}}
	special := []string{"<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<|im"}
	kinds := []int32{3, 3, 3, 4, 4, 4}
	if pattern == "" {
		tokens, scores, types := sentenceTokens()
		for i, name := range special {
			tokens, scores, types = append(tokens, name), append(scores, 0), append(types, kinds[i])
		}
		return append(pairs, gguf.Pair{Key: modelKey, Value: "llama"}, gguf.Pair{Key: tokensKey, Value: tokens},
			gguf.Pair{Key: scoresKey, Value: scores}, gguf.Pair{Key: kindsKey, Value: types})
	}
	var tokens, merges []string
	for b := range 256 {
		tokens = append(tokens, string(letters[b]))
	}
	words := map[string]int{}
	for _, s := range samples {
		for _, w := range naivePieces("gpt-2", s) {
			words[asLetters(w)]++
		}
	}
	merges, tokens = trained(words, tokens, 300)
	types := make([]int32, len(tokens), len(tokens)+len(special))
	for i := range types {
		types[i] = 1
	}
	tokens, types = append(tokens, special...), append(types, kinds...)
	eos := uint32(len(tokens) - len(special))
	return append(pairs, gguf.Pair{Key: modelKey, Value: "gpt2"}, gguf.Pair{Key: patternKey, Value: pattern},
		gguf.Pair{Key: tokensKey, Value: tokens}, gguf.Pair{Key: mergesKey, Value: merges},
		gguf.Pair{Key: kindsKey, Value: types}, gguf.Pair{Key: "tokenizer.ggml.bos_token_id", Value: eos},
		gguf.Pair{Key: "tokenizer.ggml.eos_token_id", Value: eos})
}

func asLetters(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(letters[s[i]])
	}
	return b.String()
}

// trained adds so many merges of the most frequent neighbours.
func trained(words map[string]int, tokens []string, n int) (merges, all []string) {
	split := map[string][]string{}
	for w := range words {
		for _, r := range w {
			split[w] = append(split[w], string(r))
		}
	}
	have := map[string]bool{}
	for range n {
		count := map[[2]string]int{}
		for w, parts := range split {
			for i := range len(parts) - 1 {
				count[[2]string{parts[i], parts[i+1]}] += words[w]
			}
		}
		var best [2]string
		for p, c := range count {
			if b := count[best]; !have[p[0]+p[1]] && (c > b || c == b && (p[0] < best[0] || p[0] == best[0] && p[1] < best[1])) {
				best = p
			}
		}
		joined := best[0] + best[1]
		have[joined] = true
		merges, tokens = append(merges, best[0]+" "+best[1]), append(tokens, joined)
		for w, parts := range split {
			var next []string
			for i := 0; i < len(parts); i++ {
				if i+1 < len(parts) && parts[i] == best[0] && parts[i+1] == best[1] {
					next = append(next, joined)
					i++
				} else {
					next = append(next, parts[i])
				}
			}
			split[w] = next
		}
	}
	return merges, tokens
}

// sentenceTokens trains tokens of model llama; the last characters have none, and go byte by byte.
func sentenceTokens() (tokens []string, scores []float32, kinds []int32) {
	tokens, kinds = []string{"<unk>", "<s>", "</s>"}, []int32{2, 3, 3}
	for b := range 256 {
		tokens, kinds = append(tokens, fmt.Sprintf("<0x%02X>", b)), append(kinds, 6)
	}
	words, characters := map[string]int{}, map[string]bool{}
	for _, s := range samples {
		for _, w := range strings.Split(s, " ") {
			if !strings.Contains(w, "<") {
				words["▁"+w]++
			}
			for _, r := range w {
				if r < 0x2000 && r != '\n' {
					characters[string(r)] = true
				}
			}
		}
	}
	scores = make([]float32, len(tokens))
	_, joined := trained(words, nil, 300)
	list := []string{"▁", "▁▁"}
	for c := range characters {
		list = append(list, c)
	}
	sort.Strings(list)
	seen := map[string]bool{}
	for i, s := range append(joined, list...) {
		if !seen[s] && !strings.Contains(s, "\n") {
			tokens, scores, kinds = append(tokens, s), append(scores, -float32(i/2)), append(kinds, 1) // some equal scores
		}
		seen[s] = true
	}
	return tokens, scores, kinds
}

func fileOf(t testing.TB, pairs []gguf.Pair) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gguf.Write(&b, pairs, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func vocabularyOf(b []byte) (*Vocabulary, error) {
	f, err := gguf.Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	return New(f)
}

func made(t testing.TB, pattern string) *Vocabulary {
	t.Helper()
	v, err := vocabularyOf(fileOf(t, madeUp(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// naiveOf returns the slow version of a vocabulary from the same pairs.
func naiveOf(pairs []gguf.Pair) *naive {
	of := map[string]any{}
	for _, p := range pairs {
		of[p.Key] = p.Value
	}
	n := &naive{ids: map[string]int32{}, special: map[string]int32{}, defined: map[string]int32{},
		merges: map[[2]string]int{}, scores: map[string]float32{}, begin: none, sentence: of[modelKey] == "llama"}
	n.pattern, _ = of[patternKey].(string)
	tokens, kinds := of[tokensKey].([]string), of[kindsKey].([]int32)
	scores, _ := of[scoresKey].([]float32)
	text := func(name string) string {
		b, _ := appendBytes(nil, []byte(name))
		if n.sentence {
			return name
		}
		return string(b)
	}
	for id, name := range tokens {
		switch kind(kinds[id]) {
		case control, unknown:
			n.special[name] = int32(id)
		case userDefined:
			n.defined[name] = int32(id)
			n.ids[text(name)] = int32(id)
		case byteToken:
			b, _ := byteOf(name)
			n.bytes[b] = int32(id)
		default:
			n.ids[text(name)] = int32(id)
		}
		if scores != nil {
			n.scores[name] = scores[id]
		}
	}
	merges, _ := of[mergesKey].([]string)
	for rank, m := range merges {
		left, right, _ := strings.Cut(m, " ")
		n.merges[[2]string{text(left), text(right)}] = rank
	}
	switch {
	case n.sentence:
		n.begin = 1
	case n.pattern == "llama-bpe":
		n.whole, n.begin = true, n.special["<|endoftext|>"]
	}
	return n
}

var madePatterns = []string{"", "llama-bpe", "qwen2", "qwen35", "gpt-2", "starcoder", "deepseek-coder"}

// TestNaive compares the ids of random texts with those of the slow version; of few of them with -short.
func TestNaive(t *testing.T) {
	seed, texts := testseed.New(t), 3000
	if testing.Short() {
		texts = 300
	}
	for _, pattern := range madePatterns {
		pairs := madeUp(pattern)
		slow := naiveOf(pairs)
		v, err := vocabularyOf(fileOf(t, pairs))
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 3))
		for i := range texts {
			text := randomText(r, v)
			if i < len(samples) {
				text = samples[i]
			}
			text = strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\U0002ebf0", "") // see classOf
			special := r.IntN(2) == 0
			got, want := v.Encode(nil, text, Options{Special: special, BOS: true}), slow.encode(text, special)
			if !slices.Equal(got, want) {
				t.Fatalf("%q of %q, special %v: %v, want %v", pattern, text, special, got, want)
			}
		}
	}
}

// TestLongPieces compares merging with a heap with merging without, on pieces around the limit
// between them.
func TestLongPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.New(t), 4))
	for _, pattern := range []string{"", "gpt-2"} {
		pairs := madeUp(pattern)
		slow := naiveOf(pairs)
		v := made(t, pattern)
		for range 300 {
			var b strings.Builder
			for range few/2 + r.IntN(2*few) {
				b.WriteString(pick(r, "a", "aa", "the", "e", "x", "re", "in", "\u0301"))
			}
			piece := b.String()
			s := &scratch{}
			if got, want := v.appendMerged(nil, piece, s), slow.merge(piece); !slices.Equal(got, want) {
				t.Fatalf("%q: %v, want %v", piece, got, want)
			}
		}
	}
}

// TestStop: a long text ends soon behind a stop, also one that is a single piece; the next text has its tokens.
func TestStop(t *testing.T) {
	for _, pattern := range []string{"", "gpt-2"} {
		v := made(t, pattern)
		want := v.Encode(nil, "the rest of it", Options{})
		for name, text := range map[string]string{"pieces": strings.Repeat("the a, ", 20_000),
			"one piece": strings.Repeat("thea", 20_000)} {
			whole := v.Encode(nil, text, Options{})
			if least := v.Least(text); least > len(whole) || least < len(text)/100 {
				t.Errorf("%q, %s: at least %d tokens, and it has %d", pattern, name, least, len(whole))
			}
			asked := 0
			cut := v.Encode(nil, text, Options{Stop: func() bool { asked++; return asked > 2 }})
			if asked != 3 || slices.Equal(cut, whole) {
				t.Errorf("%q, %s: asked %d times", pattern, name, asked)
			}
			if again := v.Encode(nil, text, Options{Stop: func() bool { return false }}); !slices.Equal(again, whole) {
				t.Errorf("%q, %s: other tokens when nobody stops", pattern, name)
			}
		}
		if got := v.Encode(nil, "the rest of it", Options{}); !slices.Equal(got, want) {
			t.Errorf("%q: %v, not %v", pattern, got, want)
		}
	}
}

// TestOracleStored compares ids with llama.cpp's, which are in testdata; 'make oracle' asks it again.
func TestOracleStored(t *testing.T) {
	for _, pattern := range madePatterns {
		name := "spm"
		if pattern != "" {
			name = pattern
		}
		v, path := made(t, pattern), filepath.Join("testdata", name+".json")
		all := slices.Concat(samples, broken)
		if program := os.Getenv("ORACLE"); program != "" {
			model := filepath.Join(t.TempDir(), "m.gguf")
			if err := os.WriteFile(model, fileOf(t, madeUp(pattern)), 0o600); err != nil {
				t.Fatal(err)
			}
			stored := map[bool][][]int32{}
			for _, special := range []bool{false, true} {
				sameIDs(t, v, program, model, all, special)
				for _, text := range all {
					stored[special] = append(stored[special], v.Encode(nil, text, Options{Special: special, BOS: true}))
				}
			}
			if b, err := json.Marshal([][][]int32{stored[false], stored[true]}); err != nil ||
				os.WriteFile(path, b, 0o600) != nil {
				t.Fatalf("store %s: %v", path, err)
			}
		}
		b, err := os.ReadFile(path)
		var want [2][][]int32
		if err == nil {
			err = json.Unmarshal(b, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, special := range []bool{false, true} {
			for n, text := range all {
				if got := v.Encode(nil, text, Options{Special: special, BOS: true}); !slices.Equal(got, want[i][n]) {
					t.Errorf("%s of %q, special %v: %v, want %v", name, text, special, got, want[i][n])
				}
			}
		}
	}
}

// TestRoundTrip checks that the pieces of a text's tokens are the text, also when a stream has
// them one by one.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.New(t), 5))
	for _, pattern := range madePatterns {
		v := made(t, pattern)
		for range 1000 {
			text := randomText(r, v)
			if pattern != "" {
				text = repaired(text)
			}
			var whole, streamed strings.Builder
			s, spaces := v.NewStream(), 0
			for _, id := range v.Encode(nil, text, Options{Joined: true}) {
				whole.WriteString(v.Piece(id))
				if v.kinds[id] == userDefined { // model llama puts a space behind it
					spaces++
				}
				part := s.Add(id)
				if !utf8.ValidString(part) {
					t.Fatalf("%q came out of the stream of %q", part, text)
				}
				streamed.WriteString(part)
			}
			streamed.WriteString(s.End())
			want := text
			if pattern == "" {
				want = strings.ReplaceAll(text, "▁", " ")
			}
			if s.Held() != 0 || streamed.String() != string([]rune(whole.String())) {
				t.Fatalf("%q: streamed %q, whole %q", text, streamed.String(), whole.String())
			}
			if utf8.ValidString(text) && (pattern != "" || spaces == 0) && whole.String() != want {
				t.Fatalf("%q of %q became %q", pattern, text, whole.String())
			}
		}
	}
}

// TestNoControl checks that text without permission never becomes a control token, even where one
// has the name of a word.
func TestNoControl(t *testing.T) {
	pairs := madeUp("llama-bpe")
	for i, p := range pairs {
		if p.Key == tokensKey {
			pairs[i].Value = append(slices.Clone(p.Value.([]string)), "hello", "Ġhello")
		}
		if p.Key == kindsKey {
			pairs[i].Value = append(slices.Clone(p.Value.([]int32)), 3, 2)
		}
	}
	v, err := vocabularyOf(fileOf(t, pairs))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(slices.Clone(samples), "hello", " hello", "x hello <|endoftext|> hello<|im_end|>") {
		for _, id := range v.Encode(nil, text, Options{}) {
			if v.Control(id) {
				t.Errorf("%q became the control token %q", text, v.Name(id))
			}
		}
	}
	hello, _ := v.Special("hello")
	if ids := v.Encode(nil, "hello", Options{Special: true}); !slices.Equal(ids, []int32{hello}) {
		t.Errorf("with permission: %v, want %d", ids, hello)
	}
}

// TestSpecials checks what is known about special tokens, by id and by name.
func TestSpecials(t *testing.T) {
	v := made(t, "qwen2")
	end, ok := v.Special("<|im_end|>")
	if !ok || !v.Ends(end) || !v.Control(end) || v.Piece(end) != "" || v.Name(end) != "<|im_end|>" {
		t.Errorf("<|im_end|> is %d, %v: ends %v, control %v, piece %q", end, ok, v.Ends(end), v.Control(end), v.Piece(end))
	}
	if eos, ok := v.EOS(); !ok || !v.Ends(eos) || v.Name(eos) != "<|endoftext|>" {
		t.Errorf("EOS is %d, %v", eos, ok)
	}
	if _, ok := v.FIM(); ok {
		t.Error("tokens to fill in a text, which it does not have")
	}
	if _, ok := v.Special("the"); ok {
		t.Error("a word is a special token")
	}
	if v.Piece(-1) != "" || v.Piece(int32(v.Size())) != "" || v.Ends(-1) || v.Control(math.MaxInt32) {
		t.Error("an id that does not exist has a meaning")
	}
	s := v.NewStream()
	s.Names = true
	if got := s.Add(end); got != "<|im_end|>" {
		t.Errorf("a stream with names gives %q", got)
	}
	pairs := madeUp("qwen2")
	for i, p := range pairs {
		if p.Key == tokensKey {
			pairs[i].Value = append(slices.Clone(p.Value.([]string)), "<|fim_prefix|>", "<|fim_suffix|>",
				"middle", "<|file_sep|>")
		}
		if p.Key == kindsKey {
			pairs[i].Value = append(slices.Clone(p.Value.([]int32)), 3, 1, 3, 3)
		}
	}
	pairs = append(pairs, gguf.Pair{Key: "tokenizer.ggml.middle_token_id", Value: uint32(v.Size() + 2)},
		gguf.Pair{Key: templateKey, Value: "{{ x }}"})
	w, err := vocabularyOf(fileOf(t, pairs))
	if err != nil {
		t.Fatal(err)
	}
	n := int32(v.Size())
	if fim, ok := w.FIM(); !ok || fim != (FIM{n, n + 1, n + 2, none, none, n + 3}) || !w.Control(n+1) || !w.Ends(n+3) {
		t.Errorf("%+v, %v", fim, ok)
	}
	if w.Template() != "{{ x }}" {
		t.Errorf("template %q", w.Template())
	}
}

// changed returns pairs with other values; nil removes one.
func changed(pairs []gguf.Pair, of map[string]any) []gguf.Pair {
	var out []gguf.Pair
	for _, p := range pairs {
		v, ok := of[p.Key]
		if !ok {
			out = append(out, p)
		} else if v != nil {
			out = append(out, gguf.Pair{Key: p.Key, Value: v})
		}
		delete(of, p.Key)
	}
	for key, v := range of {
		if v != nil {
			out = append(out, gguf.Pair{Key: key, Value: v})
		}
	}
	return out
}

func valueOf[T any](pairs []gguf.Pair, key string) T {
	for _, p := range pairs {
		if p.Key == key {
			return p.Value.(T)
		}
	}
	panic(key)
}

// TestRefused checks vocabularies that lie, and kinds that are not supported: the error says what
// is wrong.
func TestRefused(t *testing.T) {
	bpe, spm := madeUp("qwen2"), madeUp("")
	tokens, merges := valueOf[[]string](bpe, tokensKey), valueOf[[]string](bpe, mergesKey)
	scores := valueOf[[]float32](spm, scoresKey)
	nan := slices.Clone(scores)
	nan[5] = float32(math.NaN())
	for _, c := range []struct {
		says string
		base []gguf.Pair
		of   map[string]any
	}{
		{"is missing): convert", bpe, map[string]any{modelKey: nil}},
		{`of the kind "bert" (tokenizer.ggml.model), which is not supported`, bpe, map[string]any{modelKey: "bert"}},
		{"tokenizer.ggml.model is 7, which is no string", bpe, map[string]any{modelKey: uint32(7)}},
		{"does not say how text is cut", bpe, map[string]any{patternKey: nil}},
		{"does not say how text is cut", bpe, map[string]any{patternKey: "default"}},
		{`by the pattern "viking" (tokenizer.ggml.pre), which is not supported: these are: a.x-4.0,`, bpe,
			map[string]any{patternKey: "viking"}},
		{"tokenizer.ggml.tokens is missing, empty, or no list", bpe, map[string]any{tokensKey: nil}},
		{"tokenizer.ggml.tokens is missing, empty, or no list", bpe, map[string]any{tokensKey: []string{}}},
		{"tokenizer.ggml.tokens is missing, empty, or no list", bpe, map[string]any{tokensKey: []int32{1}}},
		{"tokens is x, which is no gguf.Array", bpe, map[string]any{tokensKey: "x"}},
		{"token_type has 1 numbers for 562 tokens", bpe, map[string]any{kindsKey: []int32{1}}},
		{"token_type is no list of numbers", bpe, map[string]any{kindsKey: []string{"a"}}},
		{"tokenizer.ggml.merges is missing", bpe, map[string]any{mergesKey: nil}},
		{`merge 1, "ab", is not of two tokens`, bpe, map[string]any{mergesKey: []string{merges[0], "ab"}}},
		{`merge 0, "", is not of two tokens`, bpe, map[string]any{mergesKey: []string{""}}},
		{`merge 0, " ", is not of two tokens`, bpe, map[string]any{mergesKey: []string{" "}}},
		{`merge 0, "q z", is not of two tokens whose join is a token`, bpe, map[string]any{mergesKey: []string{"q z"}}},
		{`merge 0, "日 z", is not of two tokens`, bpe, map[string]any{mergesKey: []string{"日 z"}}},
		{`tokens 97 and 300 are both "a"`, bpe, map[string]any{tokensKey: replaced(tokens, 300, tokens[97])}},
		{`tokens 556 and 560 are both "<|endoftext|>"`, bpe, map[string]any{tokensKey: replaced(tokens, 560, tokens[556])}},
		{"no token stands for the byte 0x61", bpe, map[string]any{tokensKey: replaced(tokens, 'a', "other")}},
		{"token 3 has 5000 bytes", bpe, map[string]any{tokensKey: replaced(tokens, 3, strings.Repeat("x", 5000))}},
		{"eos_token_id is 9999, and there are 562 tokens", bpe, map[string]any{"tokenizer.ggml.eos_token_id": uint32(9999)}},
		{"eot_token_id is -1, and there are", bpe, map[string]any{"tokenizer.ggml.eot_token_id": int32(-1)}},
		{"eom_token_id is x, which is no id", bpe, map[string]any{"tokenizer.ggml.eom_token_id": "x"}},
		{"a token is added to each text, and not which one", bpe,
			map[string]any{addBOSKey: true, "tokenizer.ggml.bos_token_id": nil}},
		{"add_bos_token is yes, which is no bool", bpe, map[string]any{addBOSKey: "yes"}},
		{"scores has 1 numbers for", spm, map[string]any{scoresKey: []float32{1}}},
		{"the score of token 5 is no number", spm, map[string]any{scoresKey: nan}},
	} {
		_, err := vocabularyOf(fileOf(t, changed(c.base, c.of)))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v; want %q", err, c.says)
		}
	}
}

func replaced(list []string, at int, by string) []string {
	list = slices.Clone(list)
	list[at] = by
	return list
}

// TestLengths checks that hostile texts take time that grows like their length.
func TestLengths(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot in one goroutine")
	}
	for _, pattern := range []string{"", "qwen2", "gpt-2", "deepseek-coder"} {
		v := made(t, pattern)
		for _, unit := range []string{"a", " ", "ab", "\n", "0", "é", "<|im", "<", "<|im_", "\xff", "'s", "你a", " 你", "+ "} {
			begin := time.Now()
			ids := v.Encode(nil, strings.Repeat(unit, 1<<18/len(unit)), Options{Special: true})
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("a quarter of a megabyte of %q took %v (%d ids)", unit, took, len(ids))
			}
		}
	}
}

// TestShared encodes in several goroutines with one vocabulary.
func TestShared(t *testing.T) {
	v := made(t, "qwen2")
	want := made(t, "qwen2").Encode(nil, strings.Join(samples, "\n"), Options{})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if got := v.Encode(nil, strings.Join(samples, "\n"), Options{}); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
	wait.Wait()
}

// TestClasses compares the table of classes with the definition.
func TestClasses(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if got, want := classes().of(r), classOf(r); got != want {
			t.Fatalf("%U is %b, want %b", r, got, want)
		}
	}
}

// FuzzNew checks that any bytes make a vocabulary or an error, and that a vocabulary encodes any
// text to ids that exist.
func FuzzNew(f *testing.F) {
	for _, pattern := range madePatterns {
		f.Add(fileOf(f, changed(madeUp(pattern), map[string]any{})), "Hello <|im_end|> x\xff")
	}
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		v, err := vocabularyOf(b)
		if err != nil {
			return
		}
		s := v.NewStream()
		for _, special := range []bool{false, true} {
			for _, id := range v.Encode(nil, text, Options{Special: special, BOS: true, EOS: true}) {
				if id < 0 || int(id) >= v.Size() {
					t.Fatalf("%q became the id %d of %d", text, id, v.Size())
				}
				s.Add(id)
			}
		}
		s.End()
	})
}

// TestMutated damages files at random places: each is an error or a vocabulary that works.
func TestMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.New(t), 6))
	worked := 0
	for range 400 {
		b := fileOf(t, madeUp(madePatterns[r.IntN(2)]))
		for range 1 + r.IntN(4) {
			at := r.IntN(len(b))
			switch r.IntN(3) {
			case 0:
				b[at] = byte(r.IntN(256))
			case 1:
				b[at]++
			default:
				b = append(b[:at], b[min(len(b), at+r.IntN(8)):]...)
			}
		}
		v, err := vocabularyOf(b)
		if err != nil {
			continue
		}
		worked++
		for _, id := range v.Encode(nil, randomText(r, v), Options{Special: true, BOS: true, EOS: true}) {
			if id < 0 || int(id) >= v.Size() {
				t.Fatalf("the id %d of %d", id, v.Size())
			}
		}
	}
	if worked == 0 || worked == 400 {
		t.Errorf("%d of 400 damaged files worked", worked)
	}
}

func BenchmarkEncode(b *testing.B) {
	code := []string{strings.Repeat(strings.Join(samples, "\n"), 100)}
	for _, pattern := range madePatterns {
		v := made(b, pattern)
		b.Run("pattern "+pattern, func(b *testing.B) { benchmarkEncode(b, v, code) })
	}
}

func BenchmarkOneLetter(b *testing.B) {
	v, text := made(b, "qwen2"), strings.Repeat("a", 1<<20)
	b.SetBytes(1 << 20)
	for b.Loop() {
		v.Encode(nil, text, Options{})
	}
}
