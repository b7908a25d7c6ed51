package tile

import (
	"context"
	"testing"

	"waferpair/wafer/fabric"
	"waferpair/wafer/machine"
)

func TestAWaveletCrossesRampHopRamp(t *testing.T) {
	for _, hops := range []int{1, 2, 5} {
		m := machine.Test(hops+1, 1)
		g, err := New(m, hops+1, 1)
		if err != nil {
			t.Fatal(err)
		}
		l := NewLayout(m)
		buf, _ := l.Alloc("x", F16, 8)
		for x := range hops + 1 {
			r := fabric.Route{Rx: fabric.Of(fabric.West), Tx: fabric.Of(fabric.East)}
			if x == 0 {
				r.Rx = fabric.Of(fabric.Ramp)
			}
			if x == hops {
				r.Tx = fabric.Of(fabric.Ramp)
			}
			if err := g.SetRoute(fabric.At{X: x}, 3, false, r); err != nil {
				t.Fatal(err)
			}
		}
		g.Write(fabric.At{}, buf, []float32{1, 2, 3, 4, 5, 6, 7, 8})
		g.Load(fabric.At{}, Program{{Active: true, Body: []Instr{{Op: Mov, N: 8, Dst: Out(3, F16), A: buf.Vec()}}}})
		g.Load(fabric.At{X: hops}, Program{{Active: true, Body: []Instr{{Op: Mov, N: 8, Dst: buf.Vec(), A: In(3, F16)}}}})
		n, err := g.Run(context.Background(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := 1 + 2*m.RampCycles + hops*m.HopCycles + 4
		if int(n) != want {
			t.Errorf("%d hops: %d cycles, want %d", hops, n, want)
		}
		t.Log(g.Read(fabric.At{X: hops}, buf), n)
	}
}
