// Package wafer emulates a wafer-scale processor of the WSE-2 and WSE-3 class that runs
// transformer inference: what a model would do on such a machine.
//
// # Two levels
//
// Event level (packages clock, fabric, tile, kernel): cores with their SRAM, routers,
// colors and wavelets on a deterministic clock. Kernels move real data, and their results
// and cycles come from the simulation. It serves meshes up to about 100 x 100.
//
// Analytic level (this package): the formulas of these kernels, for meshes of any size,
// composed to a token, a prompt and a request; the placement of a model on wafers; energy
// and utilisation.
//
// Each formula is written once, beside its kernel in package kernel, and a decode step and a
// prefill are composed once, of parts that have a program and a cost (kernel.Layout and
// kernel.PrefillLayout). The event level runs the programs and counts cycles; this package
// adds up the costs. Only the analytic level has several regions and wafers, experts, a head
// cut into pieces, and prompts in chunks.
//
//	Request -> Place     regions, SRAM, colors, wafers       search.go, pack.go
//	        -> Estimate  cycles of a token and of a prompt   cost.go, layer.go, token.go, prefill.go
//	        -> Report    speeds, energy, where cycles go     estimate.go, energy.go, steps.go
//	        -> Counter   cycles of single passes             calls.go
//	Validate             published figures beside ours       validate.go
//
// A Counter keeps a placement and prices single passes on it: what a turn of a model elsewhere would
// have taken here. Report.Steps are the parts of a decode step in their order, with their regions.
//
// A placement is of a transformer.Config; package transformer also has the plain forward
// pass that the kernels are compared with.
//
// # Two settings
//
// Emulated timing is that of the emulated cores: 'wafer estimate --decode-mesh N' and
// 'wafer simulate --model' are within 5 % of each other, and so is a prompt's first token
// (agree_test.go). Published timing is fitted to published measurements of whole layers, and
// Validate compares it with them. One setting cannot meet both. They differ in the terms that
// machine.Emulated names, and in the sums: fp32 in the emulation, fp16 in the published
// programs. On one shape (2 layers, 256 wide, feed-forward 512, 16 x 16 cores of a WSE-2, 64
// positions) a layer takes 9,839 cycles as emulated and 7,887 as published, because of wider
// sums and their wavelets, and of operations that the fitted constant covers only in part.
// Prefills also differ in their program: the published ones multiply by Q, K and V, and by up
// and gate, one by one, the emulated one at once. In WaferLLM's tables, at once would be 4 to
// 20 % faster.
//
// # What is modelled
//
// A layer is on a region of P x P cores, with its weights tiled over all of them; a region
// holds one or more whole layers, and passes its activations to the next. Models are cut
// between wafers only at layers; activations cross. The time of a token is the sum of its
// kernels' times: products take the slowest core's issues and a start for each vector,
// allreduces the flight of wavelets through the two-level tree, and nothing overlaps. A
// core's SRAM holds code, weights, KV cache and buffers; its router has 24 colors for all
// routes that exist at once. Everything is counted in cycles: published clocks of the same
// machine differ, and only speeds use one.
//
// # What is not modelled
//
// Contention between kernels, because one runs at a time; stalls of memory banks and
// defects, which the constants fitted to whole kernels cover in part; the host; unpacking
// narrow weights; loading weights; speculative decoding; power that depends on use. The
// scores of all heads are summed along the whole row, as in the emulated decoder; a program
// that summed each head's along its own part of a row would take less for models of many
// heads in long contexts.
//
// # Why a service is faster: gpt-oss-120b
//
// Published are 1,844 to 3,000 tokens a second for one user; here it is 1,005 at the slow end
// and 1,572 at the fast one, on three wafers. At the slow end a token takes 846,000 cycles at
// 0.85 GHz; 1,844 a second would be 461,000. One term at a time turned off, with the best
// placement that there is then (service_test.go):
//
//	flight of wavelets over links                    -418,000
//	    of it: a hop of 1 cycle, not the fitted 2.13 -171,000
//	software: transfers between regions, 5,900 each  -112,000
//	    beginning of each allreduce                   -62,000
//	    sampling                                      -30,000
//	    route reconfiguration                         -19,000
//	SiLU and exponentials                             -62,000
//	all but 2 of the context's 2,176 positions        -58,000
//	the reserve of SRAM, 16 KiB a core (two wafers)   -58,000
//	vector operations of a layer, as fitted           -57,000
//	assumed latency between wafers                    -56,000
//	64 heads: 8 of the same width instead             -54,000
//	three of a token's four experts                   -45,000
//
// So most of it is distance. A layer has ten or eleven allreduces over lines of 363 cores,
// and their flight alone is half of the token. Without any software, sampling and latency it
// is 552,000 cycles: 1,539 a second, or 1,991 at 1.1 GHz. If a hop took one cycle besides,
// as the vendor's documents say, it would be 399,000: 2,130, or 2,755. That is the published
// range; how much of it services owe to speculation is not known. They have had it since
// August 2024, and one step for two tokens is a factor of 1.7 (not modelled).
//
// The placement of the experts is not the loss. Each is tiled over the whole region, 8 x 8
// numbers in a core, and a token's four run one after the other: 3,588 cycles a layer, of
// which products are 312. On squares of the region instead, with four at a time:
//
//	squares   cycles if no two experts share one   if experts are drawn at random
//	2 x 2     2,103                                4,468
//	3 x 3     2,429                                3,852
//	4 x 4     2,969                                4,005
//	11 x 11   10,046                               10,540
//
// Larger tiles take the time that shorter allreduces save, and an expert that shares its
// square waits. If experts that are used together were always apart, 2 x 2 would save 53,000
// cycles a token (6 %), before the way of activations to the squares, which is not counted.
//
// It takes three wafers because its weights are 62 GB and a wafer has 29 beside the reserve
// of 16 KiB a core: without any reserve it would be two.
//
// # How it was validated
//
// Validate has the table; 'waferbench wafer' prints it. Decode speeds of WaferLLM's tables
// come out within 1.5 %, prefill speeds within 4.5 %; furthest off is the prefill of
// llama3-8b on 720 x 720 cores, the mesh with the least work for a core.
//
// A request in WaferLLM's layout is one prefill and a decode step for each output token, and
// nothing else. The published whole requests are not on file, so no row of the table is one.
// Of such a request the rows of a short prompt are the least certain term: 2048 tokens on
// 660 x 660 cores are 3.1 rows to a core, and here a core computes 4.
//
// All constants fitted to published measurements are in machine/fitted.go, which names the
// measurements; everything else in the table is a prediction. Two questions are known to be
// open: the hop cost (the published GEMV favours 1 cycle, decode 1.5 and 2.1), and what is
// between regions on a real machine, which is why published speeds of whole models are
// compared with a band and not with a number.
package wafer
