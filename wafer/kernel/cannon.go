package kernel

// Cannon's algorithm is MeshGEMM around plain rings: all tiles go to the next
// core but one, which goes back over the whole line. A baseline.
//
//	P (product + s0' + W) + (P-1) step(1) + step(P-1)
//
// The usual bound has the long way in every step. It does not come to that
// here: a core waits for its neighbour only, not for all, and a tile takes the
// long way once in P steps. What it costs is space: the long way is a third
// path through every router, where those of an interleaved ring are two hops.
//
// Colors: 3 an axis. SRAM: that of MeshGEMM.

// NewCannon takes SRAM and colors for a product on a square mesh.
func (p *Plan) NewCannon(m, k, n int) (*GEMM, error) { return p.newGEMM(m, k, n, p.NewPlainRing) }
