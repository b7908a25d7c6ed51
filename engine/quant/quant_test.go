package quant

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// TestNumbersOfLlama reads blocks that llama.cpp wrote (TestOracleBlocks of engine/gguf): the
// numbers are those that llama.cpp reads, bit for bit.
func TestNumbersOfLlama(t *testing.T) {
	for _, f := range formats {
		raw, want := stored(t, f.Name+".blocks"), make([]float32, 256)
		formats[F32].Decode(want, stored(t, f.Name+".numbers"))
		got := make([]float32, 256)
		f.Decode(got, raw)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", f.Name, got, want)
		}
	}
}

func stored(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestEncodeIsNear checks that what is encoded comes back with the error that the width of
// its integers explains.
func TestEncodeIsNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]float32, 1024)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	for name, most := range map[uint32]float64{F32: 0, F16: 3e-4, BF16: 2e-3, Q8_0: 6e-3, Q4_0: 0.1, Q5_0: 0.05,
		Q5_1: 0.05, Q4_K: 0.1, Q5_K: 0.05, Q6_K: 0.03} {
		f := formats[name]
		raw, err := f.Append([]byte{1}, list)
		if err != nil || len(raw) != 1+f.Room(len(list)) {
			t.Fatalf("%s: %d bytes, %v", f.Name, len(raw), err)
		}
		got := make([]float32, len(list))
		f.Decode(got, raw[1:])
		if rms := distance(got, list); !(rms <= most) {
			t.Errorf("%s: relative RMS %.2g, want at most %.2g", f.Name, rms, most)
		}
	}
}

func distance(got, want []float32) float64 {
	off, size := 0.0, 0.0
	for i := range want {
		off += math.Pow(float64(got[i])-float64(want[i]), 2)
		size += math.Pow(float64(want[i]), 2)
	}
	return math.Sqrt(off / size)
}

// TestExtremes encodes zeros, equal numbers, and numbers that are none.
func TestExtremes(t *testing.T) {
	for _, v := range []float32{0, 1, -3, float32(math.Inf(1)), float32(math.NaN()), math.MaxFloat32} {
		list := slices.Repeat([]float32{v}, 256)
		for _, f := range formats {
			raw, err := f.Append(nil, list)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float32, 256)
			f.Decode(got, raw)
			if v <= 1 && distance(got, list) > 0.07 && v != 0 || v == 0 && slices.Max(got) != 0 {
				t.Errorf("%s: %v became %v", f.Name, v, got[0])
			}
		}
	}
}

func TestPartsOfBlocksAreRefused(t *testing.T) {
	if _, err := formats[Q8_0].Append(nil, make([]float32, 33)); err == nil {
		t.Error("33 numbers were written as Q8_0")
	}
	if _, ok := ByNumber(10); ok {
		t.Error("Q2_K is known")
	}
}

// FuzzBlocks decodes any bytes, and compares the two ways to the numbers.
func FuzzBlocks(f *testing.F) {
	for _, format := range formats {
		f.Add(make([]byte, format.Bytes))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, format := range formats {
			whole := raw[:len(raw)/format.Bytes*format.Bytes]
			n := len(whole) / format.Bytes * format.Numbers
			list := make([]float32, n)
			format.Decode(list, whole)
			if !format.HasIntegers() {
				continue
			}
			v := MakeIntegers(n)
			format.Integers(v, whole)
			for i, want := range list {
				got := float32(v.Scale[i/16]*float32(v.Q[i])) - v.Min[i/32]
				if got != want && (got == got || want == want) {
					t.Fatalf("%s: number %d is %v and %v", format.Name, i, got, want)
				}
			}
		}
	})
}
