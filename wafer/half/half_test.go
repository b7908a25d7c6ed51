package half

import (
	"math"
	"testing"
)

// TestEveryHalfComesBack checks that every half survives the conversion to float32 and
// back.
func TestEveryHalfComesBack(t *testing.T) {
	for i := range 1 << 16 {
		h := Half(i)
		f := Float(h)
		if f != f {
			if back := ToHalf(f); Float(back) == Float(back) || back&0x8000 != h&0x8000 {
				t.Fatalf("NaN %04x became %04x", h, back)
			}
			continue
		}
		if back := ToHalf(f); back != h {
			t.Fatalf("%04x is %v and became %04x", h, f, back)
		}
	}
}

// TestHalfValues checks values from the standard.
func TestHalfValues(t *testing.T) {
	for h, want := range map[Half]float64{0: 0, 1: 0x1p-24, 0x3ff: 0x1p-14 - 0x1p-24, 0x400: 0x1p-14, 0x3c00: 1,
		0x3c01: 1 + 0x1p-10, 0x7bff: 65504, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1), 0xc000: -2} {
		if got := float64(Float(h)); got != want {
			t.Errorf("%04x is %v, want %v", h, got, want)
		}
	}
	if math.Signbit(float64(Float(0x8000))) != true {
		t.Error("0x8000 is not minus zero")
	}
}

// TestRoundingBetweenAllNeighbours checks that rounding changes only halfway between
// neighbours: for each pair of them, the middle rounds to the even one, and the float32
// numbers beside it to their side. Rounding is monotonic, so these are all cases.
func TestRoundingBetweenAllNeighbours(t *testing.T) {
	for h := Half(0); h < 0x7c00; h++ {
		above := float64(Float(h + 1))
		if h == 0x7bff {
			above = 65536 // where the next half would be
		}
		middle := float32((float64(Float(h)) + above) / 2)
		even := h + h&1
		for _, c := range []struct {
			f    float32
			want Half
		}{{math.Nextafter32(middle, 0), h}, {middle, even}, {math.Nextafter32(middle, math.MaxFloat32), h + 1}} {
			if got := ToHalf(c.f); got != c.want {
				t.Fatalf("%v became %04x, want %04x", c.f, got, c.want)
			}
			if got := ToHalf(-c.f); got != c.want|0x8000 {
				t.Fatalf("%v became %04x, want %04x", -c.f, got, c.want|0x8000)
			}
		}
	}
	for _, f := range []float32{65520, 1e30, math.MaxFloat32, float32(math.Inf(1))} {
		if got := ToHalf(f); got != 0x7c00 {
			t.Errorf("%v became %04x, want infinity", f, got)
		}
	}
}

func TestUlps(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		got, want []float32
		ulps      float64
	}{
		{[]float32{1, 2}, []float32{1, 2}, 0},
		{[]float32{1 + 1.0/1024}, []float32{1}, 1},
		{[]float32{1, 2, 4}, []float32{1, 2, 4 - 4.0/1024}, 2},
		{[]float32{3.0 / 16384}, []float32{0}, 3}, // of 1/16
		{[]float32{1, 2}, []float32{1}, math.Inf(1)},
		{[]float32{nan}, []float32{1}, math.Inf(1)},
	} {
		if ulps := Ulps(c.got, c.want); ulps != c.ulps {
			t.Errorf("%v, want %v: %v units in the last place off, want %v", c.got, c.want, ulps, c.ulps)
		}
	}
}
