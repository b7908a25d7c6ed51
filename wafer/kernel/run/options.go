package run

import (
	"fmt"
	"math/rand/v2"

	"waferpair/wafer/half"
	"waferpair/wafer/kernel"
	"waferpair/wafer/transformer"
)

// settle completes options that were left open, and refuses impossible ones.
func (o *Options) settle() error {
	o.Machine = o.Machine.Emulated()
	if o.Height == 0 {
		o.Height = o.Width
	}
	if o.Width < 1 || o.Height < 1 {
		return fmt.Errorf("a mesh of %d x %d; it has at least one row and one column", o.Width, o.Height)
	}
	for _, d := range [3]*int{&o.M, &o.K, &o.N} {
		if *d < 0 {
			return fmt.Errorf("dimensions %d, %d, %d; none can be negative", o.M, o.K, o.N)
		}
		if *d == 0 {
			*d = 8 * max(o.Width, o.Height)
		}
	}
	return nil
}

// plan completes the options and begins a program.
func (o *Options) plan() (*kernel.Plan, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	return kernel.NewPlan(o.Machine, o.Width, o.Height, o.Sums)
}

// squarePlan does the same for kernels that need a square mesh.
func (o *Options) squarePlan(name string) (*kernel.Plan, error) {
	if err := o.settle(); err != nil {
		return nil, err
	}
	if err := o.square(name); err != nil {
		return nil, err
	}
	return o.plan()
}

func (o Options) square(name string) error {
	if o.Width != o.Height {
		return fmt.Errorf("%s on a mesh of %d x %d: it needs a square mesh", name, o.Width, o.Height)
	}
	return nil
}

// draw returns n random numbers, different ones for each input.
func (o *Options) draw(input, n int) []float32 {
	return normal(rand.New(rand.NewPCG(o.Seed, uint64(input)+1)), n)
}

// normal returns n random numbers about 1 in size, exact in fp16.
func normal(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = half.Round(float32(r.NormFloat64()))
	}
	return list
}

// settleModel completes the dimensions of a model that were left open.
func (o *Options) settleModel() error {
	if o.Height == 0 {
		o.Height = o.Width
	}
	if err := o.square("a decoder"); err != nil {
		return err
	}
	if o.N == 0 {
		o.N = 8 * o.Width
	}
	if o.K == 0 {
		o.K = 22 * o.Width
	}
	if o.M == 0 {
		o.M = 4*o.Width - 1
	}
	return o.settle()
}

// shape returns a model of the options' dimensions, with heads of a quarter of its width.
func (o *Options) shape(layers int) transformer.Config {
	c := transformer.Defaults("llama")
	c.BlockCount, c.EmbeddingLength, c.FeedForwardLength, c.VocabSize = layers, o.N, o.K, 16*o.Width
	if c.HeadCount = 4; o.N < 8 {
		c.HeadCount = 1
	}
	c.HeadCountKV, c.KeyLength = max(1, c.HeadCount/2), max(2, o.N/c.HeadCount&^1)
	return c
}
