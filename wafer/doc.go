// Package wafer emulates a wafer-scale processor of the WSE-2 and WSE-3 class
// that runs transformer inference: what a model would do on such a machine.
//
// # Two levels
//
// Event level (packages clock, fabric, tile, kernel): cores with their SRAM,
// routers, colors and wavelets on a deterministic clock. Kernels move real data;
// their results and cycles come out of it. For meshes up to about 100 x 100.
//
// Analytic level (this package): the same kernels as formulas, for meshes of any
// size, composed to a layer, a token, a prompt and a request; the placement of a
// model on wafers; energy and utilisation.
//
//	Request -> Place     regions, SRAM, colors, wafers       search.go, pack.go
//	        -> Estimate  cycles of a token and of a prompt   cost.go, layer.go, token.go, prefill.go
//	        -> Report    speeds, energy, where cycles go     estimate.go, energy.go
//	Validate             published figures beside ours       validate.go
//
// The shape that is placed is a transformer.Config; package transformer has the
// plain forward pass as well, which the kernels are compared with.
//
// # What is modelled
//
// A layer is on a region of P x P cores, its weights tiled over all of them; a
// region holds one or more whole layers, and hands its activations on to the
// next. Wafers are cut between layers; activations cross. A token's time is the
// sum of its kernels': products take the slowest core's issues and a start for
// each vector, allreduces the flight of wavelets through the two-level tree, and
// nothing overlaps. A core's SRAM holds code, weights, KV cache and buffers; its
// router has 24 colors for all routes that are there at once. Everything is
// counted in cycles: published clocks of the same machine differ, and only speeds
// use one.
//
// # What is not
//
// Contention between kernels, since one runs at a time; stalls of memory banks
// and defects, of which the constants fitted to whole kernels hold some; heads
// of attention one by one; the host; unpacking narrow weights; loading weights;
// speculative decoding; power that depends on use.
//
// # How it was validated
//
// Validate has the table; 'waferbench wafer' prints it. Constants fitted to
// published measurements are all in machine/fitted.go, which says to which ones;
// everything else in the table is a prediction. Two things are known to be open:
// the hop cost (the published GEMV favours 1 cycle, decode 1.5 and 2.1), and what
// lies between regions on a real machine, which is why published speeds of whole
// models are compared with a band and not with a number.
package wafer
