package wafer

import (
	"fmt"

	numbers "waferpair/wafer/tile"
)

// The two settings of the model. Formulas and their composition are the same.
//
// Emulated is what 'waferpair wafer simulate' counts on emulated cores: hops of routers,
// vector operations one by one, sums in fp32, no software except that of allreduces and
// loops (see machine.Emulated). Published has the constants fitted to published
// measurements of whole layers, and sums in fp16, as in the measured programs. One setting
// cannot meet both: a hop fitted to whole layers is longer than that of any router, and the
// measured layers have more operations than the emulated program.
const (
	Emulated  = "emulated"
	Published = "published"
)

// setting returns the requested setting, or the default.
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

// sums returns the format of sums until they are stored.
func (a Assumptions) sums() numbers.Kind {
	if a.Timing == Emulated {
		return numbers.F32
	}
	return numbers.F16
}

// emulate removes the costs that exist only for programs on a real machine.
func (a *Assumptions) emulate() {
	a.TransferSoftware, a.SamplingTail, a.StaticColors = 0, 0, true
}

// settingNote says what a figure may be compared with.
func (a Assumptions) settingNote() string {
	if a.Timing == Emulated {
		return "timing as emulated: hops of routers, vector operations one by one, sums in fp32; what 'wafer simulate --model' counts for a model in one region"
	}
	return "timing as published: hops and vector operations of a layer fitted to measured layers, sums in fp16; not what 'wafer simulate' counts"
}

// whole returns the placement that the event level has: everything in one region, if a
// core's SRAM has room for it.
func (s *search) whole(g grid) (candidate, bool) {
	c := candidate{cut: cut{grid: g, regions: 1, spot: inLayers}, users: s.users(1)}
	if s.assume.Timing != Emulated || c.users > 1 || s.Model.ExpertCount > 0 || !c.fit() {
		return c, false
	}
	l := s.mesh(g.P).layout(&s.Model, s.Context, 0)
	_, err := l.SRAM()
	return c, err == nil
}

// wholeUse returns the SRAM of a core in that placement, with every buffer of the programs.
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
