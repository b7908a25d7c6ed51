package infer

import "waferpair/engine/infer/kernel"

// backend computes the passes of one model.
type backend interface {
	// fill sets rows of a matrix from row first on, as the file has them. Calls may run at
	// the same time if they do not share a group of 32 rows.
	fill(which kernel.Which, first, rows int, raw []byte)
	// run runs a pass, and reports whether it ran to its end. One at a time.
	run(p kernel.Pass) bool
	newBlock() (*uint16, error)
	freeBlock(*uint16)
	bytes() int64
	close()
}

// native is the backend in C.
type native struct{ *kernel.Model }

func (n native) fill(which kernel.Which, first, rows int, raw []byte) {
	n.Fill(which, first, rows, raw)
}
func (n native) run(p kernel.Pass) bool     { return n.Run(p) }
func (n native) newBlock() (*uint16, error) { return n.NewBlock() }
func (n native) freeBlock(b *uint16)        { n.FreeBlock(b) }
func (n native) bytes() int64               { return n.Bytes() }
func (n native) close()                     { n.Close() }

func newBackend(name string, spec kernel.Spec) (backend, error) {
	if name == plainName {
		return newPlain(spec), nil
	}
	m, err := kernel.New(spec, name)
	if err != nil {
		return nil, err
	}
	return native{m}, nil
}
