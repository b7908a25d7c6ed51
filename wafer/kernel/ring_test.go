package kernel

import (
	"context"
	"math"
	"testing"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

// An interleaved ring visits every core once, two hops apart at most, and each
// takes over from the next.
func TestRings(t *testing.T) {
	for cores := 1; cores <= 17; cores++ {
		p, err := NewPlan(machine.Test(cores, 1), cores, 1, tile.F16)
		if err != nil {
			t.Fatal(err)
		}
		ring, err := p.NewRing(X)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := p.NewPlainRing(X)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ring.longest(), min(2, cores-1); got != want {
			t.Errorf("%d cores: %d hops in an interleaved ring, want %d", cores, got, want)
		}
		if got, want := plain.longest(), cores-1; got != want {
			t.Errorf("%d cores: %d hops in a plain ring, want %d", cores, got, want)
		}
		seen := map[int]bool{}
		for i := range cores {
			seen[ring.ahead(i, 1)] = true
			if back := ring.ahead(ring.ahead(i, 5), -5); back != i {
				t.Errorf("%d cores: five ahead and back of %d is %d", cores, i, back)
			}
		}
		if len(seen) != cores {
			t.Errorf("%d cores: a ring of %d", cores, len(seen))
		}
	}
}

// A skew brings to each core of line l what the core l labels ahead had, with a
// ring back in half the steps, in the time of its formula.
func TestSkew(t *testing.T) {
	for _, m := range []machine.Machine{machine.Test(64, 64), machine.WSE3()} {
		for _, cores := range []int{1, 2, 3, 4, 7, 8, 16} {
			for _, both := range []bool{false, true} {
				skew(t, m, cores, both)
			}
		}
	}
}

func skew(t *testing.T, m machine.Machine, cores int, both bool) {
	t.Helper()
	p, err := NewPlan(m, cores, cores, tile.F16)
	if err != nil {
		t.Fatal(err)
	}
	ring, err := p.NewRing(X)
	if err != nil {
		t.Fatal(err)
	}
	var back *Ring
	if both {
		if back, err = p.NewRingBack(X); err != nil {
			t.Fatal(err)
		}
	}
	rotor, err := p.NewRotor("tile", 16)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.write(rotor.pair[0], func(at fabric.At) []float32 { return []float32{float32(p.core(at)), 1} }); err !=
		nil {
		t.Fatal(err)
	}
	p.Skew(rotor, ring, back)
	if err := p.Load(); err != nil {
		t.Fatal(err)
	}
	cycles, err := p.Grid.Run(context.Background(), tile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.cores(func(at fabric.At) {
		want := float32(p.core(fabric.At{X: ring.ahead(at.X, ring.label[at.Y]), Y: at.Y}))
		if got := p.Grid.Read(at, rotor.here(p.core(at)))[0]; got != want {
			t.Errorf("%d cores: core %v has the tile of %v, want that of %v", cores, at, got, want)
		}
	})
	if f := SkewCycles(&p.Grid.Machine, ring, back, 16); math.Abs(float64(f)-float64(cycles)) > 0.05*float64(cycles) {
		t.Errorf("%s, %d cores, both ways %v: %d cycles, formula %.0f", m.Name, cores, both, cycles, f)
	}
}
