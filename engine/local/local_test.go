package local_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/local"
	"waferpair/engine/local/localtest"
	"waferpair/engine/model"
	"waferpair/wafer/transformer"
)

// tiny writes a model file and opens it.
func tiny(t *testing.T, shelf *local.Shelf, seed uint64) (m *local.Model, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tiny.gguf")
	if err := localtest.Write(path, localtest.Shape("qwen2", 2, 64), gguf.Q8_0, seed); err != nil {
		t.Fatal(err)
	}
	m, err := shelf.Open("tiny", path, "")
	if err != nil {
		t.Fatal(err)
	}
	return m, path
}

func shelf(t *testing.T) *local.Shelf {
	s := &local.Shelf{}
	t.Cleanup(s.Close)
	return s
}

func asks(text string, most int) model.Prompt {
	return model.Prompt{Items: []model.Item{model.User(text)}, Options: model.Options{MaxTokens: most}}
}

// generate returns the text of an answer.
func generate(t *testing.T, m *local.Model, p model.Prompt) (string, model.Result) {
	t.Helper()
	var b strings.Builder
	var out model.Output
	r, err := m.Generate(t.Context(), p, func(d model.Delta) error {
		if text, is := d.(model.Text); is {
			b.WriteString(text.Text)
		}
		return out.Take(d)
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), r
}

// TestAnAnswerIsTheSameAgain: with the prompt in the cache and without it, from another shelf, behind other
// answers.
func TestAnAnswerIsTheSameAgain(t *testing.T) {
	s := shelf(t)
	m, path := tiny(t, s, 1)
	first, r := generate(t, m, asks("what is this?", 60))
	if r.Stop != model.StopLength && r.Stop != model.StopEnd || r.Usage.Output == 0 || first == "" {
		t.Fatalf("%q, %+v", first, r)
	}
	again, r := generate(t, m, asks("what is this?", 60))
	if again != first || r.Usage.Cached != r.Usage.Input-1 {
		t.Errorf("again: %q, not %q; %d of %d tokens were kept", again, first, r.Usage.Cached, r.Usage.Input)
	}
	if other, _ := generate(t, m, asks("and that, which is longer?", 60)); other == first {
		t.Error("another question has the same answer")
	}
	if third, _ := generate(t, m, asks("what is this?", 60)); third != first {
		t.Errorf("behind another answer: %q", third)
	}
	fresh := shelf(t)
	o, err := fresh.Open("tiny", path, "")
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := generate(t, o, asks("what is this?", 60)); text != first {
		t.Errorf("another shelf: %q", text)
	}
}

// TestACutAnswerGoesOn: cut at any token and continued, a text is what it would have been.
func TestACutAnswerGoesOn(t *testing.T) {
	m, _ := tiny(t, shelf(t), 1)
	whole, r := generate(t, m, asks("tell me", 40))
	cut := errors.New("cut")
	for n := 1; n < r.Usage.Output; n += 3 {
		var b strings.Builder
		taken := 0
		res, err := m.Generate(t.Context(), asks("tell me", 40), func(d model.Delta) error {
			if text, is := d.(model.Text); is {
				if taken+text.Tokens > n {
					return cut
				}
				taken += text.Tokens
				b.WriteString(text.Text)
			}
			return nil
		})
		if !errors.Is(err, cut) || res.Stop != model.StopCut {
			t.Fatalf("cut at %d: %v, %+v", n, err, res)
		}
		if b.Len() == 0 {
			continue
		}
		part := model.Assistant(b.String())
		part.Status = model.Incomplete
		p := asks("tell me", 40-taken)
		p.Items = append(p.Items, part)
		rest, _ := generate(t, m, p)
		if got := b.String() + rest; got != whole && !strings.ContainsRune(whole, '\uFFFD') {
			t.Errorf("cut at %d: %q, not %q", n, got, whole)
		}
	}
}

// TestWhatIsNoModel: the error says what is wrong, when the model is opened.
func TestWhatIsNoModel(t *testing.T) {
	s := shelf(t)
	text := filepath.Join(t.TempDir(), "text.gguf")
	if err := os.WriteFile(text, []byte("this is no model"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{text: "GGUF", filepath.Dir(text): "regular file",
		filepath.Join(filepath.Dir(text), "none.gguf"): "no such file"} {
		if _, err := s.Open("x", path, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestErrorsNameTheFileOnce, whoever finds what is wrong: the file's shape, its vocabulary, its tensors.
func TestErrorsNameTheFileOnce(t *testing.T) {
	c := localtest.Shape("llama", 1, 64)
	whole := transformer.Random(c, 1)
	for name, change := range map[string]func(c *transformer.Config, w transformer.Weights){
		"family":   func(c *transformer.Config, _ transformer.Weights) { c.Architecture = "mamba" },
		"heads":    func(c *transformer.Config, _ transformer.Weights) { c.KeyLength = 31 },
		"tensors":  func(_ *transformer.Config, w transformer.Weights) { delete(w, "blk.0.ffn_up.weight") },
		"no words": func(*transformer.Config, transformer.Weights) {},
	} {
		path := filepath.Join(t.TempDir(), "odd.gguf")
		of, w := c, maps.Clone(whole)
		change(&of, w)
		pairs, tensors := gguf.Sources(of, w, gguf.F16)
		pairs = append(pairs, gguf.Pair{Key: "tokenizer.chat_template", Value: localtest.Template})
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(gguf.Write(file, pairs, tensors), file.Close()); err != nil {
			t.Fatal(err)
		}
		m, err := shelf(t).Open("x", path, "")
		if err == nil {
			err = m.Check()
		}
		_, compare := local.Compare(t.Context(), path, local.Comparing{Most: 9, Note: func(float64) {}})
		for _, err := range []error{err, compare} {
			if err == nil || strings.Count(err.Error(), path) != 1 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestAFileThatIsReplacedIsNoticed: the next answer is the new file's; one that is gone is an error.
func TestAFileThatIsReplacedIsNoticed(t *testing.T) {
	s := shelf(t)
	m, path := tiny(t, s, 1)
	first, _ := generate(t, m, asks("hello", 30))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Generate(t.Context(), asks("hello", 30), func(model.Delta) error { return nil }); err == nil {
		t.Error("a file that is gone answered")
	}
	if err := localtest.Write(path, localtest.Shape("qwen2", 2, 64), gguf.Q8_0, 2); err != nil {
		t.Fatal(err)
	}
	if now, _ := generate(t, m, asks("hello", 30)); now == first {
		t.Error("the new file's answer is the old one's")
	}
}

// TestAPromptThatIsTooLong is refused with its size, and the model answers the next one.
func TestAPromptThatIsTooLong(t *testing.T) {
	m, _ := tiny(t, shelf(t), 1)
	_, err := m.Generate(t.Context(), asks(strings.Repeat("x", 5000), 10), func(model.Delta) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "4096") {
		t.Error(err)
	}
	generate(t, m, asks("hello", 10))
	path := filepath.Join(t.TempDir(), "m.gguf")
	if err := localtest.Write(path, localtest.Shape("llama", 1, 64), gguf.Q8_0, 1); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{5000: "has 5000 tokens", 50_000_000: "has at least 12500000 tokens"} {
		_, err := local.Generate(t.Context(), path, local.Raw{Text: strings.Repeat("x", n), Most: 1}, nil,
			func(string) error { return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d letters: %v", n, err)
		}
	}
}

// TestACancelledAnswer ends at once, and leaves the model ready.
func TestACancelledAnswer(t *testing.T) {
	m, _ := tiny(t, shelf(t), 1)
	whole, _ := generate(t, m, asks("hello", 20))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := m.Generate(ctx, asks("hello", 4000), func(d model.Delta) error {
		if _, is := d.(model.Text); is {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if now, _ := generate(t, m, asks("hello", 20)); now != whole {
		t.Errorf("%q, not %q", now, whole)
	}
}

// TestSeveralAnswerAtOnce: sequences do not mix.
func TestSeveralAnswerAtOnce(t *testing.T) {
	m, _ := tiny(t, shelf(t), 1)
	var want []string
	for _, q := range []string{"a", "bb", "ccc", "dddd", "eeeee", "ffffff"} {
		text, _ := generate(t, m, asks(q, 30))
		want = append(want, text)
	}
	got := make(chan [2]string, len(want))
	for i, q := range []string{"a", "bb", "ccc", "dddd", "eeeee", "ffffff"} {
		go func() {
			var b strings.Builder
			_, err := m.Generate(t.Context(), asks(q, 30), func(d model.Delta) error {
				if text, is := d.(model.Text); is {
					b.WriteString(text.Text)
				}
				return nil
			})
			if err != nil {
				b.WriteString(err.Error())
			}
			got <- [2]string{want[i], b.String()}
		}()
	}
	for range want {
		if pair := <-got; pair[0] != pair[1] {
			t.Errorf("%q, not %q", pair[1], pair[0])
		}
	}
}

// TestTwoModelsShareTheMemory: both stay while there is room.
func TestTwoModelsShareTheMemory(t *testing.T) {
	s := shelf(t)
	a, _ := tiny(t, s, 1)
	b, _ := tiny(t, s, 2)
	x, _ := generate(t, a, asks("hello", 20))
	y, _ := generate(t, b, asks("hello", 20))
	if x == y || s.Loaded() != 2 {
		t.Errorf("%q, %q; loaded: %d", x, y, s.Loaded())
	}
}

// TestMemoryIsTheUsers: with room for one model the older one leaves, one that is too large is refused with what
// is missing, and one that nobody uses leaves when its time is over.
func TestMemoryIsTheUsers(t *testing.T) {
	var settings local.Settings
	s := shelf(t)
	s.Settings = func() local.Settings { return settings }
	a, _ := tiny(t, s, 1)
	b, _ := tiny(t, s, 2)
	settings.Memory = 3 * infer.PassRoom / 2
	generate(t, a, asks("hello", 5))
	generate(t, b, asks("hello", 5))
	if s.Loaded() != 1 {
		t.Errorf("%d models in the memory of one", s.Loaded())
	}
	settings.Memory = infer.PassRoom / 2
	_, err := a.Generate(t.Context(), asks("hello", 5), func(model.Delta) error { return nil })
	var no *infer.TooLarge
	if !errors.As(err, &no) || no.Have != settings.Memory || !strings.Contains(err.Error(), "raise memory") {
		t.Errorf("too large: %v", err)
	}
	settings = local.Settings{Keep: new(time.Duration)}
	generate(t, a, asks("hello", 5))
	for end := time.Now().Add(10 * time.Second); s.Loaded() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d models stay that nobody uses", s.Loaded())
		}
	}
	hour := time.Hour
	settings.Keep = &hour
	generate(t, a, asks("hello", 5))
	if s.Loaded() != 1 {
		t.Error("one leaves an hour early")
	}
}

// TestAKnownAnswer: a model whose weights say what it answers says that, in every number format and by every
// backend, and nothing of it is lost between tokens, text and deltas.
func TestAKnownAnswer(t *testing.T) {
	lines := []string{"Here you are:\n", "<<<<<<< SEARCH\n", "Größe = 1\n",
		"=======\n", "Größe = 2 // 日本\n",
		">>>>>>> REPLACE\n"}
	for _, kind := range []gguf.Type{gguf.F32, gguf.F16, gguf.Q8_0, gguf.Q4_0, gguf.Q6_K} {
		path := filepath.Join(t.TempDir(), "answers.gguf")
		if err := localtest.Answering(path, kind, lines...); err != nil {
			t.Fatal(err)
		}
		m, err := shelf(t).Open("answers", path, "")
		if err != nil {
			t.Fatal(err)
		}
		got, r := generate(t, m, asks("please", 0))
		if got != strings.Join(lines, "") || r.Stop != model.StopEnd || r.Usage.Output != len(lines)+1 {
			t.Errorf("%s: %q, %+v", kind, got, r)
		}
	}
}

// TestPassesAreTold: a turn's passes read its prompt behind what is kept, and write its tokens but the first,
// whether guesses are right or wrong.
func TestPassesAreTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answering.gguf")
	if err := localtest.Answering(path, gguf.Q8_0, "one\n", "two\n", "three\n", "four\n"); err != nil {
		t.Fatal(err)
	}
	s := shelf(t)
	known, err := s.Open("answering", path, "")
	if err != nil {
		t.Fatal(err)
	}
	random, _ := tiny(t, s, 1)
	for _, m := range []*local.Model{known, random} {
		for range 2 { // the second time with the prompt in the cache
			var passes []model.Pass
			ctx := model.WithPasses(t.Context(), func(p model.Pass) { passes = append(passes, p) })
			r, err := m.Generate(ctx, asks("one\ntwo\nthree\nfour\none\ntwo\n", 80), func(model.Delta) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			read, written, drafted := 0, 0, 0
			for i, p := range passes {
				if written, drafted = written+p.Written, drafted+p.Drafted; p.Written == 0 {
					read += p.Tokens
				}
				if before := passes[max(0, i-1)]; i > 0 && p.Depth > before.Depth+before.Tokens || p.Tokens <= p.Drafted {
					t.Errorf("%+v behind %+v", p, before)
				}
			}
			if read != r.Usage.Input-r.Usage.Cached || passes[0].Depth != r.Usage.Cached || drafted != r.Usage.Drafted ||
				written < r.Usage.Output-1 || written > r.Usage.Output {
				t.Errorf("%s: %d read, %d written, %d drafted: %+v; %+v", m.Info().Name, read, written, drafted, r.Usage, passes)
			}
		}
	}
}

// TestMemoryIsTold: of a model that is not loaded, one that is, and one that was unloaded.
func TestMemoryIsTold(t *testing.T) {
	m, path := tiny(t, shelf(t), 1)
	if got := m.Memory(); got.Loaded || got.KV != 0 || got.MostKV == 0 || got.MostWeights < got.MostKV {
		t.Errorf("not loaded: %+v", got)
	}
	var within local.Memory
	if _, err := m.Generate(t.Context(), asks("hello", 20), func(d model.Delta) error {
		if _, is := d.(model.Text); is {
			within = m.Memory()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got := m.Memory()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if within.Answering != 1 || within.KV == 0 || !got.Loaded || got.Answering != 0 || got.Kept != 1 ||
		got.KV == 0 || got.Weights < info.Size()/2 {
		t.Errorf("within the answer %+v, behind it %+v", within, got)
	}
	if !m.Unload() {
		t.Error("an unused model stays in memory")
	}
	if got := m.Memory(); got.Loaded || got.KV != 0 {
		t.Errorf("unloaded: %+v", got)
	}
	if text, _ := generate(t, m, asks("hello", 20)); text == "" || !m.Memory().Loaded {
		t.Error("an unloaded model does not answer")
	}
}
