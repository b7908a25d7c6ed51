// Package machine describes wafer-scale processors as plain data: how much they have of
// everything, and how many cycles each operation takes.
//
// The figures are from Cerebras' datasheets, SDK documentation and Hot Chips talks, from
// papers (Luczynski et al., "Near-Optimal Wafer-Scale Reduce", HPDC'24, arXiv 2404.15888;
// "WaferLLM", OSDI'25), and from the code published with them. If they disagree, the
// comment at the field says so and names the one used. Everything is counted in cycles:
// published clocks of the same machine are between 0.85 and 1.1 GHz, and the vendor's
// bandwidths and peak rates do not imply the same one, so the clock is only for reporting.
//
// Constants fitted to published measurements are in fitted.go, and nowhere else.
package machine

import (
	"fmt"
	"slices"
)

// Machine is the specification of a wafer-scale processor.
type Machine struct {
	Name string

	// The rectangle of cores that software sees. Of the nominal 850,000 and 900,000 cores,
	// 757 x 996 and 762 x 1172 are in it (SDK documentation); another user reports 762 x
	// 1176. The smaller one is used.
	Width, Height int

	// The columns and rows reserved for memory copies to and from the host.
	HaloColumns, HaloRows int

	SRAMBytes     int // per core
	ReservedBytes int // part of it, for code, stack and the runtime
	Banks         int // of 16-bit words, interleaved

	Colors   int // virtual channels per router
	Switches int // colors 0 to Switches-1 may have switch positions

	// Queues between core and router, in wavelets. The real ones differ by queue ID (WSE-2
	// 6,4,2,2 in and 2,6,2 out; WSE-3 8,4,4,4 and 8): this is the smallest size that keeps
	// a stream going.
	InDepth, OutDepth int
	LinkDepth         int // per input port and color of a router; an assumption

	// HopCycles is the time from router to router. Papers say 1; for WSE-3 the vendor's
	// simulator logs landings 2 cycles apart, though its documentation says 1. The event
	// level uses this integer. The fitted value is in Timing.
	HopCycles  int
	RampCycles int // T_R: core to router and back, each (Luczynski et al.)

	SIMD        int // fp16 elements per issue
	IssueCycles int // of SIMD fp16 elements with operands in SRAM

	IOBitsPerSecond float64 // all edges together
	IOLatency       float64 // seconds for a crossing between wafers; an assumption
	Watts           float64

	Timing Timing
	Clocks []float64 // GHz, for reporting: the first one is the default
}

// Timing is the cost of programs beyond what the hardware's figures imply. It has two
// settings. The published one has constants that were fitted to published measurements of
// whole kernels and layers (fitted.go); it is the default of a machine. Emulated returns
// the other one.
type Timing struct {
	Hop             float64 // cycles a hop
	Row             float64 // start of one vector operation in a mapped loop
	KOverhead       float64 // start of a mapped loop in a matrix product
	StepOverhead    float64 // of a step of MeshGEMM, including the flight of its first wavelet
	StepWavelet     float64 // of a step of MeshGEMM, for each wavelet that a core passes on in it
	TailOverlap     bool    // the last, partly filled issue of a vector overlaps the next vector
	Allreduce       float64 // c_ar: software of an allreduce
	LayerOperations float64 // of a decode layer: its vector operations besides products; 0: they are counted one by one
	Reconfigure     float64 // of a decode layer: route reconfiguration at run time
	Silu, Exp       float64 // per element
}

// Emulated returns the machine with the timing of the event level, which counts what the
// emulated routers and cores do, and nothing else. It differs from the published setting in
// five terms:
//
//   - a hop takes as long as in a router (1 and 2 cycles), not the value that fits whole kernels (1.51
//     and 2.13): programs on a real machine take longer for a hop than its wavelets do;
//   - the vector operations of a decode layer besides its products (norms, rotary embedding, sums,
//     copies, the shift of the cache) are counted one by one, not as the constant that was fitted to a
//     layer (180 and 1,572), which includes the switches between tasks;
//   - there is no route reconfiguration at run time (531 a layer on a WSE-3): the emulated decoder has a
//     color for each route;
//   - a core passes one wavelet a cycle in a step of MeshGEMM; the fitted values are 0, as if all were
//     hidden behind the product (WSE-2), and 0.9;
//   - the vector operations of a prefill besides its products, and the alignment of its activations,
//     are counted; in a published prefill they are part of the fitted overhead of a step. (Counted
//     besides that overhead they are 1 to 2 % of the published prefills.)
func (m Machine) Emulated() Machine {
	m.Timing.Hop = float64(m.HopCycles)
	m.Timing.LayerOperations, m.Timing.Reconfigure = 0, 0
	m.Timing.StepWavelet = 1
	return m
}

// Usable returns the size of the rectangle that is left for programs.
func (m Machine) Usable() (width, height int) {
	return m.Width - m.HaloColumns, m.Height - m.HaloRows
}

// Cores returns how many cores software sees.
func (m Machine) Cores() int { return m.Width * m.Height }

// Check returns an error that describes what is wrong with a specification.
func (m Machine) Check() error {
	width, height := m.Usable()
	for _, size := range []struct {
		name  string
		value int
	}{{"width without halo", width}, {"height without halo", height}, {"number of elements of an issue", m.SIMD},
		{"issue time", m.IssueCycles}, {"SRAM without the reserve", m.SRAMBytes - m.ReservedBytes},
		{"number of colors", m.Colors}} {
		if size.value < 1 {
			return fmt.Errorf("machine %q: the %s is %d; it has to be positive", m.Name, size.name, size.value)
		}
	}
	if m.HaloColumns < 0 || m.HaloRows < 0 || m.ReservedBytes < 0 || m.RampCycles < 0 {
		return fmt.Errorf("machine %q: a halo, reserve or ramp is negative", m.Name)
	}
	if len(m.Clocks) == 0 || !(slices.Min(m.Clocks) > 0) {
		return fmt.Errorf("machine %q: it needs a positive clock", m.Name)
	}
	if !(m.IOBitsPerSecond > 0) || !(m.IOLatency >= 0) || !(m.Watts >= 0) {
		return fmt.Errorf("machine %q: I/O rate, I/O latency or power is not a positive number", m.Name)
	}
	return nil
}

// WSE2 returns the second wafer-scale engine (CS-2).
func WSE2() Machine {
	return Machine{
		Name: "wse-2", Width: 757, Height: 996, HaloColumns: 7, HaloRows: 2,
		SRAMBytes: 48 << 10, ReservedBytes: 16 << 10, Banks: 8,
		Colors: 24, Switches: 24, InDepth: 4, OutDepth: 4, LinkDepth: 4,
		HopCycles: 1, RampCycles: 2,
		// The fp16 multiply-add of the datasheets is 4 wide; with operands in SRAM, 2 a
		// cycle fit the published kernels best.
		SIMD: 2, IssueCycles: 1,
		IOBitsPerSecond: 1.2e12, IOLatency: 20e-6, Watts: 15e3,
		Timing: fittedWSE2, Clocks: []float64{1.1, 0.85},
	}
}

// WSE3 returns the third wafer-scale engine (CS-3).
func WSE3() Machine {
	return Machine{
		Name: "wse-3", Width: 762, Height: 1172, HaloColumns: 7, HaloRows: 2,
		SRAMBytes: 48 << 10, ReservedBytes: 16 << 10, Banks: 8,
		Colors: 24, Switches: 16, InDepth: 4, OutDepth: 8, LinkDepth: 4,
		HopCycles: 2, RampCycles: 2,
		SIMD: 8, IssueCycles: 2, // the vendor's simulator: 2 cycles for 8
		IOBitsPerSecond: 1.2e12, IOLatency: 20e-6, Watts: 23e3,
		Timing: fittedWSE3, Clocks: []float64{0.85, 1.1},
	}
}

// Test returns a small mesh with the cores of a WSE-3, one cycle a hop and no software
// around the kernels.
func Test(width, height int) Machine {
	m := WSE3()
	m.Name = fmt.Sprintf("test-%dx%d", width, height)
	m.Width, m.Height, m.HaloColumns, m.HaloRows = width, height, 0, 0
	m.HopCycles = 1
	m.Timing.Hop = 1
	m.Timing.Allreduce, m.Timing.LayerOperations, m.Timing.Reconfigure = 0, 0, 0
	m.Watts *= float64(width*height) / float64(WSE3().Cores())
	return m
}

// ByName returns the machine with a name of the command line.
func ByName(name string) (Machine, error) {
	switch name {
	case "wse-2":
		return WSE2(), nil
	case "wse-3":
		return WSE3(), nil
	}
	return Machine{}, fmt.Errorf("no machine is called %q; there are wse-2 and wse-3", name)
}
