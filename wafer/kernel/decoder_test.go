package kernel

import (
	"context"
	"math"
	"testing"
	"time"

	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
)

func TestDecoderAgreesWithReference(t *testing.T) {
	for _, c := range []struct {
		name  string
		mesh  int
		shape Shape
		steps int
	}{
		{"one core", 1, Shape{Layers: 1, Width: 16, Heads: 2, KVHeads: 1, HeadSize: 8, Feed: 24, Vocab: 40, Epsilon: 1e-5, RopeBase: 1e4}, 5},
		{"even", 4, Shape{Layers: 2, Width: 32, Heads: 4, KVHeads: 4, HeadSize: 8, Feed: 64, Vocab: 64, Epsilon: 1e-5, RopeBase: 1e4}, 14},
		{"shared keys", 4, Shape{Layers: 2, Width: 32, Heads: 4, KVHeads: 2, HeadSize: 8, Feed: 64, Vocab: 64, Epsilon: 1e-5, RopeBase: 1e4}, 9},
		{"nothing divides", 5, Shape{Layers: 2, Width: 33, Heads: 6, KVHeads: 3, HeadSize: 6, Feed: 47, Vocab: 71, Epsilon: 1e-5, RopeBase: 1e4}, 12},
		{"more cores than numbers", 7, Shape{Layers: 1, Width: 6, Heads: 1, KVHeads: 1, HeadSize: 4, Feed: 5, Vocab: 3, Epsilon: 1e-5, RopeBase: 1e4}, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := RandomWeights(c.shape, 5)
			d, err := NewDecoder(machine.Test(c.mesh, c.mesh), c.mesh, c.shape, c.steps, tile.F32)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Load(w); err != nil {
				t.Fatal(err)
			}
			ref := NewReference(w)
			token := 1
			for i := range c.steps {
				want := d.StepCycles()
				got, err := d.Step(context.Background(), token, tile.Options{})
				if err != nil {
					t.Fatalf("step %d: %v", i, err)
				}
				logits := ref.Step(token)
				best := 0
				for j, v := range logits {
					if v > logits[best] {
						best = j
					}
				}
				if math.Abs(logits[best]-float64(got.Logit)) > 4e-3*math.Max(1, math.Abs(logits[best])) || got.ID != best && logits[best]-logits[got.ID] > 4e-3 {
					t.Errorf("step %d: token %d with %v, want %d with %v", i, got.ID, got.Logit, best, logits[best])
				}
				off := float64(want)/float64(got.Cycles) - 1
				t.Logf("step %d: %d cycles, formula %.0f, %+.3f; %d %v", i, got.Cycles, want, off, got.ID, got.Logit-float32(logits[best]))
				token = got.ID
			}
		})
	}
}

func TestSmallModel(t *testing.T) {
	w := RandomWeights(Small(), 5)
	d, err := NewDecoder(machine.Test(32, 32), 32, Small(), 64, tile.F32)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Load(w); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	want := d.StepCycles()
	got, err := d.Step(context.Background(), 1, tile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hops := d.plan.Grid.Net().Total().Hops()
	took := time.Since(begin)
	t.Logf("%v cycles %d formula %.0f hops %d %.1f M/s", took, got.Cycles, want, hops, float64(hops)/took.Seconds()/1e6)
}
