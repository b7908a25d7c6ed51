package wafer

import (
	"fmt"
	"waferpair/wafer/kernel"
	numbers "waferpair/wafer/tile"

	"waferpair/wafer/transformer"
)

// WaferLLM's benchmarks (OSDI'25) time one layer on one mesh and multiply by the number of
// layers. Layout "waferllm" does the same:
//
//   - decode and prefill have a mesh each; widths are padded to multiples of P;
//   - one head: keys and values are as wide as the model;
//   - the KV cache has 4096 positions, all of which each token attends to;
//   - SiLU runs over as many elements as the model is wide (its code's loop);
//   - no embedding, head or sampling; no wafer edges; nothing for moving the weights between the two
//     meshes;
//   - lines are cut into the greatest divisor of P that is not above its root.
//
// A layer that does not fit one wafer is refused; as in the benchmarks, it does not matter
// whether all layers would fit at once.
const waferLLMContext = 4096

// asWaferLLM returns the shape that those benchmarks run for a model.
func asWaferLLM(m transformer.Config) transformer.Config {
	m.HeadCount, m.HeadCountKV, m.KeyLength = 1, 1, m.EmbeddingLength
	m.ExpertCount, m.ExpertUsedCount = 0, 0
	return m
}

func waferLLMTile(m transformer.Config, p int) tile { return tileOf(asWaferLLM(m), p) }

func waferLLMMesh(hw *Machine, p int) mesh { return mesh{hw, p, divisorGroups(p), numbers.F16} }

func waferLLMAssumptions(m Machine) Assumptions {
	return Assumptions{Name: WaferLLM, ClockGHz: m.Clocks[0], StaticColors: m.Timing.Reconfigure == 0, Notes: []string{
		"one layer on one mesh, multiplied by the number of layers, as in WaferLLM's benchmarks",
		"widths are padded to the mesh; one head; keys and values as wide as the model",
		"every token attends to the whole context, 4096 if none is given",
		"no embedding, head, sampling or transfer between the meshes",
		"of a layer with experts, one expert",
	}}
}

// waferLLMDecode and waferLLMPrefill return the costs of a layer's kernels.
func waferLLMDecode(r Request, p int) []Cost {
	m := asWaferLLM(r.Model)
	l := waferLLMMesh(&r.Machine, p).layout(&m, r.Context, ceil(m.EmbeddingLength, p))
	return l.LayerCosts(nil)
}

func waferLLMPrefill(r Request, p int) []Cost {
	m := asWaferLLM(r.Model)
	l := waferLLMMesh(&r.Machine, p).prefillLayout(&m, r.Input, 0, ceil(m.EmbeddingLength, p))
	return l.LayerCosts()
}

func placeWaferLLM(r Request, a Assumptions) (Placement, error) {
	decode, err := r.waferLLMSide("decode", r.DecodeMesh, r.waferLLMSRAM, waferLLMDecode)
	if err != nil {
		return Placement{}, err
	}
	prefill, err := r.waferLLMSide("prefill", r.PrefillMesh, r.waferLLMPrefillSRAM, waferLLMPrefill)
	if err != nil {
		return Placement{}, err
	}
	uses := colors(r, a, 1)
	if err := checkColors(r, a, uses); err != nil {
		return Placement{}, err
	}
	p := Placement{
		Layout: WaferLLM, Machine: r.Machine.Name, Model: r.Model.Name,
		Mesh: decode, Groups: divisorGroups(decode), PrefillMesh: prefill, PrefillGroups: divisorGroups(prefill),
		LayersPerRegion: 1, LayerRegions: 1, Wafers: 1,
		Regions: []Region{{Kind: LayerRegion, P: decode, Layers: 1}},
		Context: r.Context, Users: 1, KVPositions: positions(r.Context, decode),
		SRAM: r.waferLLMSRAM(decode), Colors: uses,
	}
	p.capacity(entryBytes(waferLLMTile(r.Model, decode)))
	return p, nil
}

// waferLLMSRAM returns the use of a core in decode, waferLLMPrefillSRAM in prefill.
func (r Request) waferLLMSRAM(p int) SRAM {
	t, s := waferLLMTile(r.Model, p), positions(r.Context, p)
	m := asWaferLLM(r.Model)
	u := SRAM{Reserved: r.Machine.ReservedBytes, Weights: layerBytes(m, t), KV: entryBytes(t) * s,
		Buffers: decodeBuffers(m, t, s)}
	u.Free = r.Machine.SRAMBytes - u.Used()
	return u
}

func (r Request) waferLLMPrefillSRAM(p int) SRAM {
	t, rows := waferLLMTile(r.Model, p), ceil(r.Input, p)
	m := asWaferLLM(r.Model)
	u := SRAM{Reserved: r.Machine.ReservedBytes, Weights: layerBytes(m, t), KV: entryBytes(t) * rows,
		Buffers: prefillBuffers(m, t, rows, rows)}
	u.Free = r.Machine.SRAMBytes - u.Used()
	return u
}

// waferLLMSide checks the requested mesh, or finds the fastest that fits.
func (r Request) waferLLMSide(phase string, asked int, use func(p int) SRAM,
	kernels func(Request, int) []Cost) (int, error) {
	width, height := r.Machine.Usable()
	most := min(width, height)
	if asked > 0 {
		return asked, r.waferLLMFits(phase, asked, most, use)
	}
	best, least := 0, 0.0
	for p := 1; p <= most; p++ {
		if use(p).Free < 0 {
			continue
		}
		if t := kernel.Total(kernels(r, p)); best == 0 || t < least {
			best, least = p, t
		}
	}
	if best == 0 {
		return 0, r.waferLLMFits(phase, most, most, use)
	}
	return best, nil
}

func (r Request) waferLLMFits(phase string, p, most int, use func(p int) SRAM) error {
	free := use(p).Free
	if free >= 0 {
		return nil
	}
	refusal := &Refusal{Kind: TooLittleSRAM, ShortBytes: -free,
		Reason: fmt.Sprintf("a layer of %s on a %s mesh of %d x %d: SRAM is short by %d bytes per core", r.Model.Name,
			phase, p, p, -free)}
	for q := p + 1; q <= most; q++ {
		if use(q).Free >= 0 {
			refusal.Nearest = fmt.Sprintf("a mesh of %d x %d", q, q)
			break
		}
	}
	return refusal
}
