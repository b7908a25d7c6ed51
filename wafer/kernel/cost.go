package kernel

// Cost is the cost of a kernel on a mesh. Its cycles are those of the slowest core,
// split by purpose.
type Cost struct {
	Kernel        string  `json:"kernel"`
	Compute       float64 `json:"compute_cycles"`
	Communication float64 `json:"communication_cycles"` // wavelets under way
	Launch        float64 `json:"launch_cycles"`        // software: starting kernels, reconfiguring routes
	MACs          float64 `json:"multiply_adds"`        // of all cores
	Hops          float64 `json:"wavelet_hops"`         // over all links
}

// Cycles returns the time of the kernel. Nothing overlaps: the vendor's simulator
// shows compute and communication adding up to within 2 %.
func (c Cost) Cycles() float64 { return c.Compute + c.Communication + c.Launch }

// Times returns the cost of running the kernel n times.
func (c Cost) Times(n float64) Cost {
	c.Compute, c.Communication, c.Launch, c.MACs, c.Hops = c.Compute*n, c.Communication*n, c.Launch*n, c.MACs*n, c.Hops*n
	return c
}

// Sum returns the cost of kernels that run one after the other, under one name.
func Sum(name string, parts ...Cost) Cost {
	total := Cost{Kernel: name}
	for i := range parts {
		p := &parts[i]
		total.Compute += p.Compute
		total.Communication += p.Communication
		total.Launch += p.Launch
		total.MACs += p.MACs
		total.Hops += p.Hops
	}
	return total
}

// Total returns the cycles of kernels that run one after the other.
func Total(costs []Cost) float64 {
	all := 0.0
	for i := range costs {
		all += costs[i].Cycles()
	}
	return all
}
