package wafer

import (
	"fmt"

	numbers "waferpair/wafer/tile"
)

// The two settings of the model. Formulas and their composition are the same.
//
// Emulated is what 'waferpair wafer simulate' counts on emulated cores: hops of
// routers, vector operations one by one, sums in fp32, no software but that of
// allreduces and loops (see machine.Emulated). Published has the constants that
// were fitted to published measurements of whole layers, and sums in fp16, as the
// programs have that were measured. One setting cannot meet both: a hop fitted to
// whole layers is longer than that of any router, and the operations of a layer
// that were measured together are more than those that the emulated program has.
const (
	Emulated  = "emulated"
	Published = "published"
)

// setting is the one that is asked for, or the default.
func (r Request) setting() (string, error) {
	switch {
	case r.Timing == Emulated && r.Layout == WaferLLM:
		return "", fmt.Errorf("layout %s has published timing only: it is that of published benchmarks", WaferLLM)
	case r.Timing == Emulated || r.Timing == Published:
		return r.Timing, nil
	case r.Timing != "":
		return "", fmt.Errorf("no timing is called %q; there are %s and %s", r.Timing, Emulated, Published)
	case r.Layout == "" && r.DecodeMesh > 0 && r.DecodeMesh*r.DecodeMesh <= numbers.MaxCores:
		return Emulated, nil
	}
	return Published, nil
}

// sums is how sums are kept until they are stored.
func (a Assumptions) sums() numbers.Kind {
	if a.Timing == Emulated {
		return numbers.F32
	}
	return numbers.F16
}

// emulate takes away what only programs on a real machine have.
func (a *Assumptions) emulate() {
	a.TransferSoftware, a.SamplingTail, a.StaticColors = 0, 0, true
}

// settingNote says what a figure is to be compared with.
func (a Assumptions) settingNote() string {
	if a.Timing == Emulated {
		return "timing as emulated: hops of routers, vector operations one by one, sums in fp32; what 'wafer simulate --model' counts for a model in one region"
	}
	return "timing as published: hops and vector operations of a layer fitted to measured layers, sums in fp16; not what 'wafer simulate' counts"
}

// whole is the placement that the event level has: all in one region, if a core's
// SRAM holds it there.
func (s *search) whole(g grid) (candidate, bool) {
	c := candidate{cut: cut{grid: g, regions: 1, spot: inLayers}, users: s.users(1)}
	if s.assume.Timing != Emulated || c.users > 1 || s.Model.ExpertCount > 0 || !c.fit() {
		return c, false
	}
	l := s.mesh(g.P).layout(&s.Model, s.Context, 0)
	_, err := l.SRAM()
	return c, err == nil
}

// wholeUse is the SRAM of a core then, with every buffer that the programs have.
func (s *search) wholeUse(c candidate) SRAM {
	l := s.mesh(c.P).layout(&s.Model, s.Context, 0)
	all, err := l.SRAM()
	u := s.use(c.P, tileOf(s.Model, c.P), 1)
	if err == nil {
		u.Weights += s.wholeTables(c.P)
		u.Buffers = max(0, all-u.Reserved-u.Weights-u.KV)
		u.Free = s.Machine.SRAMBytes - u.Used()
	}
	return u
}
