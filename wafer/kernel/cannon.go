package kernel

// Cannon's algorithm is MeshGEMM around plain rings, a baseline: all tiles move to the next
// core except one, which moves back over the whole line.
//
//	P (product + s0' + W + step(1)) + 2 hop (P-2)
//
// The usual bound includes the long way in every step. Here it takes less: a core waits
// only for its neighbours, and in P steps a chain of such waits includes the long way of a
// row and that of a column once each.
//
// Colors: 3 for each axis. SRAM: that of MeshGEMM.

// NewCannon takes SRAM and colors for a product on a square mesh.
func (p *Plan) NewCannon(m, k, n int) (*GEMM, error) { return p.newGEMM(m, k, n, p.NewPlainRing) }
