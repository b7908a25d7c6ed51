// Package house is read by the tests of layers.
package house

const width = 10

type stone struct {
	weight int
	sides  struct{ left, right int }
}

type pile[T any] struct{ all []T }

func (p *pile[T]) add(t T) { p.all = append(p.all, t) }
