package machine

// The fitted constants. Each was fitted to the following; everything else is a prediction:
//
//   - WSE-2: hop, row, step overhead, c_ar, operations and the cost of an exponential to
//     WaferLLM's Table 3 (prefill) and Table 4 (decode), rows LLaMA3-8B and CodeLLaMA-34B. Other
//     models and meshes of these tables, end-to-end requests and the GEMV of Table 6 are
//     predictions.
//   - WSE-3: hop, row, loop and step overheads, c_ar, operations, silu, exp and the cost of route
//     reconfiguration to cycles of the vendor's fabric simulator that users have published for a
//     decode layer and MeshGEMM. Speeds of whole models are predictions.
//
// The hop cost is the least certain: the GEMV table favours 1, decode fits 1.51 and 2.13;
// see the hop microbenchmark of 'waferbench wafer'.

var fittedWSE2 = Timing{
	Hop: 1.51, Row: 3.37, KOverhead: 0, StepOverhead: 405, StepWavelet: 0, TailOverlap: true,
	Allreduce: 145, LayerOperations: 180, Reconfigure: 0,
	Silu: 91.5, Exp: 91.5,
}

var fittedWSE3 = Timing{
	Hop: 2.13, Row: 1.25, KOverhead: 41, StepOverhead: 115, StepWavelet: 0.9,
	Allreduce: 145, LayerOperations: 1572, Reconfigure: 531,
	Silu: 33, Exp: 14,
}

// InstrumentedRow is how much longer a row of a decode GEMV took in the published simulator
// runs, which time every step. It is fitted to their ten rows.
const InstrumentedRow = 26.6
