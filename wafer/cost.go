package wafer

import (
	"math"

	"waferpair/wafer/machine"
)

// Cost is what a kernel takes on one region for one token, or for one chunk of
// a prompt. Cycles are those of the slowest core, split by what they go to.
type Cost struct {
	Kernel        string  `json:"kernel"`
	Compute       float64 `json:"compute_cycles"`
	Communication float64 `json:"communication_cycles"` // wavelets under way
	Launch        float64 `json:"launch_cycles"`        // software: starting kernels, laying routes
	MACs          float64 `json:"multiply_adds"`        // of all cores
	Hops          float64 `json:"wavelet_hops"`         // over all links
}

// Cycles is the time of the kernel. Nothing overlaps: the vendor's simulator
// shows compute and communication adding up to within 2 %.
func (c Cost) Cycles() float64 { return c.Compute + c.Communication + c.Launch }

func (c Cost) times(n float64) Cost {
	c.Compute, c.Communication, c.Launch, c.MACs, c.Hops = c.Compute*n, c.Communication*n, c.Launch*n, c.MACs*n, c.Hops*n
	return c
}

// sum is the kernels one after the other, under one name.
func sum(name string, parts ...Cost) Cost {
	total := Cost{Kernel: name}
	for _, p := range parts {
		total.Compute += p.Compute
		total.Communication += p.Communication
		total.Launch += p.Launch
		total.MACs += p.MACs
		total.Hops += p.Hops
	}
	return total
}

// mesh is a region of P x P cores, with as many groups in every allreduce:
// routes are static, so one cut of the lines serves all allreduces of a region.
type mesh struct {
	*machine.Machine
	P, Groups int
}

// issues is how many issues a vector of n fp16 elements takes.
func (m mesh) issues(n int) float64 {
	if m.Timing.TailOverlap {
		return float64(n) / float64(m.SIMD)
	}
	return float64(ceil(n, m.SIMD))
}

// vector is the time of one vector operation in a mapped loop:
//
//	row + issue * ⌈n/SIMD⌉
func (m mesh) vector(n int) float64 {
	return m.Timing.Row + float64(m.IssueCycles)*m.issues(n)
}

// scalar is a function that has no vector form (exp, silu), of n elements a core.
func (m mesh) scalar(cycles float64, n int) Cost { return Cost{Compute: cycles * float64(n)} }

// allreduce is the sum (or maximum) of n elements a core over every line of the
// mesh, left in all cores: T_ar of WaferLLM's two-level tree. With W = ⌈n/2⌉
// wavelets, groups of g = ⌊P/G⌋ cores, S2 = ⌊G/2⌋ groups and D2 = S2*g hops to
// the middle one, whose root is at D2 + ⌊g/2⌋, far hops from the farther end:
//
//	T_ar = c_ar + hop*(D2 + far) + (2 T_R + 2)*⌊g/2⌋ + (2 T_R + 1)*S2 + (w_c + 1)*W + 2 T_R
//
// w_c is how many sides the two roots take in, one after the other. (Luczynski
// et al., HPDC'24, for chain and broadcast; the composition is WaferLLM's.)
func (m mesh) allreduce(n int) Cost {
	c := Cost{Launch: m.Timing.Allreduce}
	if m.P == 1 {
		return c
	}
	w := float64(ceil(n, 2))
	c.Communication = m.flight(n)
	g := float64(m.P / m.Groups)
	groups, p := float64(m.Groups), float64(m.P)
	c.Hops = p * w * ((p - groups) + (groups-1)*g + (p - 1)) // chains, roots, broadcast
	return c
}

// flight is T_ar without the software.
func (m mesh) flight(n int) float64 {
	g, s2 := m.P/m.Groups, m.Groups/2
	d2 := s2 * g
	root := d2 + g/2
	far := max(root, m.P-1-root)
	ramp := m.RampCycles
	chains := (2*ramp+2)*(g/2) + (2*ramp+1)*s2
	return m.Timing.Hop*float64(d2+far) + float64(chains+(m.sides()+1)*ceil(n, 2)+2*ramp)
}

// sides is w_c: a root in the middle of three or more has two sides.
func (m mesh) sides() int {
	side := func(members int) int { return min(2, members-1) }
	return side(m.P/m.Groups) + side(m.Groups)
}

// fastestGroups is the cut of a line of P cores with the shortest allreduce of a
// wavelet. It lies near the square root of P; the test compares all cuts.
func fastestGroups(hw *machine.Machine, p int) int {
	root := int(math.Sqrt(float64(p)))
	best, least := 1, math.Inf(1)
	for groups := max(1, root/2-1); groups <= min(p, 2*root+2); groups++ {
		if t := (mesh{hw, p, groups}).flight(2); t < least {
			best, least = groups, t
		}
	}
	return best
}

// divisorGroups is the cut that WaferLLM's configurations have: the greatest
// divisor of P that is not above its square root.
func divisorGroups(p int) int {
	best := 1
	for g := 1; g*g <= p; g++ {
		if p%g == 0 {
			best = g
		}
	}
	return best
}

// gemv is the product of a vector that has k elements in a core with tiles of
// k x n, before its sums are taken together: MeshGEMV = gemv + allreduce(n).
//
//	K (row + issue*⌈N/SIMD⌉)
func (m mesh) gemv(k, n int) Cost {
	return Cost{Compute: float64(k) * m.vector(n), MACs: m.macs(k, n)}
}

func (m mesh) macs(sizes ...int) float64 {
	all := float64(m.P) * float64(m.P)
	for _, s := range sizes {
		all *= float64(s)
	}
	return all
}

// gemm is MeshGEMM, the product of tiles of rows x k with tiles of k x n: P
// steps, after each of which both operands move on in an interleaved ring, two
// hops at most. W wavelets pass a core in a step.
//
//	P [K (kovh + N (row + issue*⌈M/SIMD⌉)) + s0 + 0.9 W]
func (m mesh) gemm(rows, k, n int) Cost {
	p := float64(m.P)
	w := float64(ceil(rows*k, 2) + ceil(k*n, 2))
	return Cost{
		Compute:       p * float64(k) * (m.Timing.KOverhead + float64(n)*m.vector(rows)),
		Communication: p * m.Timing.StepWavelet * w,
		Launch:        p * m.Timing.StepOverhead,
		MACs:          p * m.macs(rows, k, n),
		Hops:          p * p * p * w * 2,
	}
}

// gemmT is dist-GEMM-T, the product with a transposed right operand, without
// transposing it: the right one moves along y and the sums along x. It takes as
// long as MeshGEMM, with the sums of rows x n travelling instead of the left
// operand of rows x k.
func (m mesh) gemmT(rows, k, n int) Cost {
	c := m.gemm(rows, k, n)
	w := float64(ceil(rows*n, 2) + ceil(k*n, 2))
	p := float64(m.P)
	c.Communication, c.Hops = p*m.Timing.StepWavelet*w, p*p*p*w*2
	return c
}

// norm is RMSNorm of vectors, each spread over a line: the allreduce of their
// sums of squares. Its vector operations are among the layer's (operations).
func (m mesh) norm(vectors int) Cost { return m.allreduce(vectors) }

// softmax over rows of scores that are spread over lines, n of them in a core
// for each of the rows: maximum, exponentials, sum.
func (m mesh) softmax(rows, n int) Cost {
	return sum("", m.allreduce(rows), m.allreduce(rows), m.scalar(m.Timing.Exp, rows*n))
}

// operations are the vector operations of a decode layer beside its products:
// scaling of the norms, rotary embedding, residual sums, copies; and the task
// switches between. Fitted as one constant.
func (m mesh) operations() Cost {
	return Cost{Kernel: "vector operations", Compute: m.Timing.LayerOperations}
}

// hand is passing n elements a core on to the next region, P hops away:
//
//	xfer = c_ar + hop*P + n/2 (+ software)
func (m mesh) hand(n int, software float64) Cost {
	w := float64(n) / 2
	p := float64(m.P)
	return Cost{Launch: m.Timing.Allreduce + software, Communication: m.Timing.Hop*p + w, Hops: p * p * w}
}
