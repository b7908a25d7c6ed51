package cli

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/local/localtest"
	"waferpair/wafer/kernel"
	"waferpair/wafer/machine"
	"waferpair/wafer/tile"
	"waferpair/wafer/transformer"
)

// The relative error of a logit on cores, whose weights and cache are binary16 (wafer/kernel/run's tests), and of
// one on the host, which rounds inputs of products to eight bits.
const (
	coresError = 4e-3
	hostError  = 0.03
)

// TestCoresWriteWhatTheHostWrites runs quantised files of each family on emulated cores and with the runtime, token by
// token: the next tokens are equal wherever the host's lead is wider than both errors.
func TestCoresWriteWhatTheHostWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	const mesh, steps = 4, 24
	for i, family := range transformer.Families {
		path := filepath.Join(t.TempDir(), family+".gguf")
		if err := localtest.Write(path, localtest.Shape(family, 2, 64), gguf.Q8_0, uint64(i)); err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		host, err := infer.Load(f, infer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer host.Close()
		c, w, err := f.Load()
		if err != nil {
			t.Fatal(err)
		}
		cores, err := kernel.NewDecoder(machine.Test(mesh, mesh), mesh, c, steps, tile.F32)
		if err == nil {
			err = cores.Load(w)
		}
		if err != nil {
			t.Fatal(err)
		}
		state, err := host.NewState(0)
		if err != nil {
			t.Fatal(err)
		}
		token, compared := int32(65+i), 0
		for step := range steps {
			logits, err := host.Forward(context.Background(), state, []int32{token}, infer.Last)
			if err != nil {
				t.Fatal(err)
			}
			got, err := cores.Step(context.Background(), int(token), tile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			best := transformer.Argmax(logits)
			if lead, size := leadOf(logits); lead > 2*(coresError+hostError)*size {
				if compared++; got.ID != best {
					t.Errorf("%s, step %d: the cores write %d, the host %d by a lead of %.3g", family, step, got.ID, best, lead)
				}
			}
			token = int32(best)
		}
		if t.Logf("%s: %d of %d leads are wide", family, compared, steps); compared < steps/2 {
			t.Errorf("%s: only %d of %d leads are wide", family, compared, steps)
		}
	}
}

// leadOf returns how far the greatest logit is above the next one, and the root of the mean square of all.
func leadOf(logits []float32) (lead, size float64) {
	first, second := math.Inf(-1), math.Inf(-1)
	for _, l := range logits {
		v := float64(l)
		size += v * v
		if v > first {
			first, second = v, first
		} else {
			second = max(second, v)
		}
	}
	return first - second, math.Sqrt(size / float64(len(logits)))
}
