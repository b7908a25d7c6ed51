package infer

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/wafer/transformer"
)

// TestOracleErrors checks that the distance from the float run of a file is at most 1.2 times
// llama.cpp's own: of files that it wrote, of each family, type and path. Its cache is
// float32. Types of floats are compared with a bound instead: both errors are those of
// binary16.
func TestOracleErrors(t *testing.T) {
	program := os.Getenv("ORACLE")
	if program == "" {
		t.Skip("ORACLE is not set: 'make oracle' asks llama.cpp")
	}
	llamaTypes := map[string]int{"F16": 1, "BF16": 32, "Q4_0": 2, "Q8_0": 7, "Q5_0": 8, "Q5_1": 9, "Q4_K_M": 15,
		"Q5_K_M": 17, "Q6_K": 18}
	for _, architecture := range transformer.Families {
		c := shape(architecture, nil)
		source := filepath.Join(t.TempDir(), "source.gguf")
		write(t, source, c, transformer.Random(c, 21))
		for name, number := range llamaTypes {
			t.Run(architecture+" "+name, func(t *testing.T) {
				stored := filepath.Join(t.TempDir(), "stored.gguf")
				ask(t, program, "store", source, stored, strconv.Itoa(number))
				f, err := gguf.Open(stored)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				tokens := sequence(200, c.VocabSize)
				want := plainPass(t, f, tokens)
				compareErrors(t, f, tokens, want, llamaErrors(t, program, stored, tokens, want, c.VocabSize))
			})
		}
	}
}

// write writes a model as F32, without a vocabulary, which llama.cpp accepts by this name.
func write(t *testing.T, path string, c transformer.Config, w transformer.Weights) {
	t.Helper()
	pairs, tensors := gguf.Sources(c, w, gguf.F32)
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := gguf.Write(out, append(pairs, gguf.Pair{Key: "tokenizer.ggml.model", Value: "none"}), tensors); err != nil {
		t.Fatal(err)
	}
}

func ask(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
}

// llamaErrors returns llama.cpp's own distance: of a prompt, and token by token.
func llamaErrors(t *testing.T, program, path string, tokens []int32, want []float32, vocabulary int) (errs [2]float64) {
	t.Helper()
	for i := range errs {
		out := filepath.Join(t.TempDir(), "logits")
		args := []string{"logits", path, out, strconv.Itoa(i), "0"}
		for _, token := range tokens {
			args = append(args, fmt.Sprint(token))
		}
		ask(t, program, args...)
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		list := make([]float32, len(raw)/4)
		for k := range list {
			list[k] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*k:]))
		}
		errs[i], _ = distance(list, want, vocabulary)
	}
	return errs
}

func compareErrors(t *testing.T, f *gguf.File, tokens []int32, want []float32, llama [2]float64) {
	t.Helper()
	for _, backend := range Backends() {
		m := loaded(t, f, Options{Backend: backend, Threads: 2})
		for i, path := range []string{"prompt", "token by token"} {
			rms, kl := distance(paths[path](t, m, begun(t, m), tokens), want, m.Config().VocabSize)
			t.Logf("%s, %s: relative RMS %.3g, KL %.2g; llama.cpp %.3g", backend, path, rms, kl, llama[i])
			if bound := max(1.2*llama[i], 4e-4); !(rms <= bound && rms <= integerRMS && kl <= integerKL) {
				t.Errorf("%s, %s: relative RMS %.3g, KL %.2g; llama.cpp %.3g", backend, path, rms, kl, llama[i])
			}
		}
	}
}
