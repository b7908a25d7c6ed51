package wafer

// Published measurements, as they were printed. Sources:
//
//   - WaferLLM: He et al., "WaferLLM: Large Language Model Inference at Wafer
//     Scale", OSDI'25 (arXiv 2502.04563), Tables 3 to 6 and abstract.
//   - Simulator: cycles of the vendor's fabric simulator for WSE-3 that users of
//     WaferLLM's code have published; moderate trust.
//   - Vendor: Cerebras' announcements of August 2024, before speculative decoding.

// meshSpeed is a speed that WaferLLM's benchmarks print for a mesh.
type meshSpeed struct {
	model string
	p     int
	tokS  float64
}

// table4 is Table 4: decode. The rate of qwen2-72b is from the abstract; the smallest mesh
// of the table is assumed for it.
var table4 = []meshSpeed{
	{"llama3-8b", 420, 2699.9}, {"llama3-8b", 540, 2501.5}, {"llama3-8b", 660, 2243.3},
	{"codellama-34b", 420, 1450.8}, {"codellama-34b", 540, 1407.7}, {"codellama-34b", 660, 1359.2},
}

var abstract = meshSpeed{"qwen2-72b", 420, 840}

// table3 is Table 3: prefill of 4096 tokens.
var table3 = []meshSpeed{
	{"llama3-8b", 480, 20320.6}, {"llama3-8b", 600, 25037.2}, {"llama3-8b", 720, 27686.5},
	{"codellama-34b", 480, 5471.4}, {"codellama-34b", 600, 7540.1}, {"codellama-34b", 720, 8526},
}

// table5 is Table 5: the most tokens that decode can continue for, with new entries of the
// KV cache in the last row, and with shifting. The ratio is the side of the mesh, which the
// table does not name; those of WaferLLM's whole requests are assumed.
var table5 = []struct {
	model         string
	p             int
	concat, shift float64
}{{"llama3-8b", 360, 382, 137548}, {"llama2-13b", 375, 16, 6168}}

// table6 is Table 6: the product of a vector and a square matrix. Cycles are the published
// time at 1.1 GHz; a100 is milliseconds on 1, 8 and 16 of them, and energy the ratio of
// theirs to the wafer's.
var table6 = []struct {
	name           string
	n              int
	cycles, waferS float64
	a100, energy   [3]float64
}{
	{"16K", 16384, 1320, 0.0012e-3, [3]float64{0.336, 0.253, 0.34}, [3]float64{7.47, 44.97, 120.88}},
	{"32K", 32768, 2233, 0.00203e-3, [3]float64{1.231, 0.341, 0.339}, [3]float64{16.17, 35.83, 71.25}},
}

var a100Counts = [3]float64{1, 8, 16}

const a100Watts = 400

// simulatedLayers is the cycles of WaferLLM's decode layer with d, s and f elements in a
// core, with markers that time every step.
var simulatedLayers = []struct {
	d, s, f, p int
	cycles     float64
}{
	{8, 4, 32, 32, 8140}, {8, 4, 32, 40, 8312}, {8, 4, 32, 50, 8429}, {8, 4, 32, 64, 8955}, {8, 4, 32, 80, 9293},
	{8, 4, 32, 100, 9655}, {12, 12, 40, 40, 10489}, {12, 12, 40, 60, 10626}, {12, 12, 40, 80, 11596},
	{12, 12, 40, 100, 11699},
}

// The same layer (8, 4, 32) on 32 x 32 cores without markers, and with a color for every
// route.
const (
	simulatedPlain  = 5843
	simulatedStatic = 5312
)

// simulatedGEMMs is the cycles of WaferLLM's MeshGEMM, tiles of rows x 8 and 8 x 8.
var simulatedGEMMs = []struct {
	p, rows int
	cycles  float64
}{{3, 1, 2096}, {3, 8, 2212}, {3, 16, 2801}, {9, 1, 6173}, {9, 8, 6559}}

// userSpeeds is the speed for one user of the vendor's service, in tokens a second. The
// smaller model was on one wafer, the larger one on four.
var userSpeeds = []struct {
	name, model string
	tokS        float64
	wafers      int
}{{"Llama 3.1 8B", "llama3-8b", 1800, 1}, {"Llama 3.1 70B", "llama3-70b", 450, 4}}
