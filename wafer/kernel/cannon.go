package kernel

// Cannon's algorithm is MeshGEMM around plain rings: all tiles go to the next
// core but one, which goes back over the whole line. A baseline.
//
//	P (product + s0' + W + step(1)) + 2 hop (P-2)
//
// The usual bound has the long way in every step. It does not come to that
// here: a core waits for its neighbours only, not for all, and a chain of such
// waits takes the long way of a row and of a column once each in P steps.
//
// Colors: 3 an axis. SRAM: that of MeshGEMM.

// NewCannon takes SRAM and colors for a product on a square mesh.
func (p *Plan) NewCannon(m, k, n int) (*GEMM, error) { return p.newGEMM(m, k, n, p.NewPlainRing) }
