package infer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// small is a model of one layer or more, loaded.
func small(t testing.TB, o Options, change func(c *transformer.Config)) *Model {
	t.Helper()
	c := shape("qwen2", change)
	return loaded(t, file(t, c, transformer.Random(c, 3), all(gguf.Q8_0)), o)
}

// TestOracleFiles runs the files that llama.cpp wrote, and compares with the logits of its
// float run (engine/gguf/testdata/oracle).
func TestOracleFiles(t *testing.T) {
	for _, architecture := range transformer.Families {
		for kind, floats := range map[string]bool{"F16": true, "BF16": true, "Q8_0": false} {
			name := "../gguf/testdata/oracle/" + architecture + "-" + kind
			f, err := gguf.Open(name + ".gguf")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			raw, err := os.ReadFile(name + ".logits")
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float32, len(raw)/4)
			for i := range want {
				want[i] = math.Float32frombits(uint32(raw[4*i]) | uint32(raw[4*i+1])<<8 | uint32(raw[4*i+2])<<16 |
					uint32(raw[4*i+3])<<24)
			}
			for _, backend := range Backends() {
				m := loaded(t, f, Options{Backend: backend})
				vocabulary := m.Config().VocabSize
				near(t, run(t, m, begun(t, m), sequence(len(want)/vocabulary, vocabulary), All), want, vocabulary, floats)
			}
		}
	}
}

// TestSameBits checks that neither the number of threads nor whether tokens come at once or
// one by one changes a bit, so that drafts give the text of plain decoding.
func TestSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot")
	}
	for _, backend := range Backends() {
		var want []float32
		for threads := 1; threads <= 4; threads++ {
			m := small(t, Options{Backend: backend, Threads: threads}, nil)
			for name, do := range paths {
				got := do(t, m, begun(t, m), sequence(40, m.Config().VocabSize))
				if want == nil {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %d threads, %s: other bits", backend, threads, name)
				}
			}
		}
	}
}

// TestCancelledHasNotHappened cancels passes at random moments: the sequence is as before. With
// -short, the passes have fewer tokens.
func TestCancelledHasNotHappened(t *testing.T) {
	length := 200
	if testing.Short() {
		length = 60
	}
	for _, backend := range Backends() {
		m := small(t, Options{Backend: backend, Threads: 2}, func(c *transformer.Config) { c.BlockCount = 8 })
		s := begun(t, m)
		tokens := sequence(length, m.Config().VocabSize)
		run(t, m, s, tokens[:20], None)
		want := run(t, m, s, tokens[20:40], Last)
		cancelled := 0
		for i := range 30 {
			s.Truncate(20)
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*100*time.Microsecond)
			_, err := m.Forward(ctx, s, tokens[20:], Last)
			cancel()
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				cancelled++
				if s.Len() != 20 {
					t.Fatalf("%d tokens after a cancelled pass, want 20", s.Len())
				}
			case err != nil:
				t.Fatal(err)
			}
		}
		s.Truncate(20)
		if got := run(t, m, s, tokens[20:40], Last); cancelled == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %d passes were cancelled, and the next has other logits", backend, cancelled)
		}
	}
}

// TestRefusals checks what Forward refuses, and that it says how to go on.
func TestRefusals(t *testing.T) {
	m := small(t, Options{}, nil)
	other := small(t, Options{}, nil)
	s, err := m.NewState(10)
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for says, do := range map[string]func() ([]float32, error){
		"give at least one": func() ([]float32, error) { return m.Forward(t.Context(), s, nil, Last) },
		"the sequence has room for 10": func() ([]float32, error) {
			return m.Forward(t.Context(), s, make([]int32, 11), Last)
		},
		"token -1 is not in a vocabulary": func() ([]float32, error) {
			return m.Forward(t.Context(), s, []int32{-1}, Last)
		},
		"token 320 is not in a vocabulary": func() ([]float32, error) {
			return m.Forward(t.Context(), s, []int32{320}, Last)
		},
		"the sequence is one of another": func() ([]float32, error) {
			return other.Forward(t.Context(), s, []int32{1}, Last)
		},
		"run 1 tokens after 0: context canc": func() ([]float32, error) { return m.Forward(stopped, s, []int32{1}, Last) },
	} {
		if _, err := do(); err == nil || !strings.Contains(err.Error(), says) || s.Len() != 0 {
			t.Errorf("%v; want %q", err, says)
		}
	}
	m.Close()
	if _, err := m.Forward(t.Context(), s, []int32{1}, Last); !errors.Is(err, errClosed) {
		t.Errorf("%v after Close", err)
	}
	if _, err := m.NewState(1); !errors.Is(err, errClosed) {
		t.Errorf("%v after Close", err)
	}
	s.Close()
	m.Close()
}

// TestLoadRefuses checks that what would be computed wrongly is refused by name.
func TestLoadRefuses(t *testing.T) {
	c := shape("llama", nil)
	w := transformer.Random(c, 3)
	pairs, tensors := gguf.Sources(c, w, gguf.F32)
	gate := slices.IndexFunc(tensors, func(s gguf.Source) bool { return s.Name == "blk.1.ffn_gate.weight" })
	for says, change := range map[string]func(list []gguf.Source) []gguf.Source{
		`tensor "blk.0.attn_output.bias" is not one`: func(list []gguf.Source) []gguf.Source {
			return append(list, gguf.Source{Name: "blk.0.attn_output.bias", Sizes: []int64{256}, Numbers: make([]float32, 256)})
		},
		`tensor "blk.1.ffn_gate.weight" is stored as Q2_K, which is not run`: func(list []gguf.Source) []gguf.Source {
			list[gate].Type, list[gate].Raw = 10, make([]byte, 512*84)
			return list
		},
		"tensor blk.1.ffn_gate.weight is missing": func(list []gguf.Source) []gguf.Source {
			return slices.Delete(list, gate, gate+1)
		},
	} {
		var b bytes.Buffer
		if err := gguf.Write(&b, pairs, change(slices.Clone(tensors))); err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(f, Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
	if _, err := Load(file(t, c, w, all(gguf.F16)), Options{Backend: "abacus"}); err == nil ||
		!strings.Contains(err.Error(), `there is no backend "abacus"`) {
		t.Errorf("%v", err)
	}
}

// TestShorterFile loads a file that is cut while it is read: an error, and no signal.
func TestShorterFile(t *testing.T) {
	c := shape("qwen3", nil)
	path := filepath.Join(t.TempDir(), "m.gguf")
	write(t, path, c, transformer.Random(c, 3))
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, f.Raw(f.Tensors[len(f.Tensors)-1]).Size()); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(f, Options{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v; want an error with the path", err)
	}
}

// failing returns the error of a device.
type failing struct{ io.ReaderAt }

var errDevice = errors.New("input/output error")

func (f failing) ReadAt(b []byte, at int64) (int, error) {
	if at > 1<<20 {
		return 0, errDevice
	}
	return f.ReaderAt.ReadAt(b, at)
}

func TestReadError(t *testing.T) {
	c := shape("llama", nil)
	pairs, tensors := gguf.Sources(c, transformer.Random(c, 3), gguf.F32)
	var b bytes.Buffer
	if err := gguf.Write(&b, pairs, tensors); err != nil {
		t.Fatal(err)
	}
	f, err := gguf.Read(failing{bytes.NewReader(b.Bytes())}, int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(f, Options{}); !errors.Is(err, errDevice) ||
		!strings.Contains(err.Error(), "load model file: read ") {
		t.Errorf("%v", err)
	}
}

// TestProgress checks that the last call is of the whole.
func TestProgress(t *testing.T) {
	var most, whole atomic.Int64
	small(t, Options{Threads: 1, Progress: func(done, total int64) { most.Store(done); whole.Store(total) }}, nil)
	if most.Load() == 0 || most.Load() != whole.Load() {
		t.Errorf("%d of %d bytes", most.Load(), whole.Load())
	}
}

// TestMemoryIsRefused checks the error that says what is missing.
func TestMemoryIsRefused(t *testing.T) {
	have, known := available()
	if !known {
		t.Skip("the system does not say how much memory it has")
	}
	err := roomFor(have*2+1<<30, "its weights")
	if err == nil || !strings.Contains(err.Error(), "its weights take ") {
		t.Errorf("%v", err)
	}
}

// TestStatesShareAModel runs two sequences by turns, from two goroutines.
func TestStatesShareAModel(t *testing.T) {
	m := small(t, Options{Threads: 2}, nil)
	tokens := sequence(60, m.Config().VocabSize)
	want := run(t, m, begun(t, m), tokens, Last)
	done := make(chan []float32)
	for range 2 {
		s := begun(t, m)
		go func() {
			for i := range tokens {
				if logits, err := m.Forward(context.Background(), s, tokens[i:i+1], Last); err != nil || i == len(tokens)-1 {
					done <- slices.Clone(logits)
					return
				}
			}
		}()
	}
	for range 2 {
		if got := <-done; !slices.Equal(got, want) {
			t.Error("other logits beside another sequence")
		}
	}
}
