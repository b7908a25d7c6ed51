package cli

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"waferpair/app/modelfiles"
	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/local"
	"waferpair/wafer"
	"waferpair/wafer/transformer"
)

// factsWords says what a model file is, in one line.
func factsWords(f modelfiles.Facts) string {
	var types []string
	for name, n := range f.Types {
		types = append(types, fmt.Sprintf("%d %s", n, name))
	}
	context := "context not stated"
	if f.Context > 0 {
		context = fmt.Sprintf("context %d", f.Context)
	}
	return fmt.Sprintf("%s, %s parameters, %s of matrices in %s, %s, %d KiB of memory for each token of it",
		f.Family, large(f.Parameters), bytesWords(f.Bytes),
		strings.Join(slices.Sorted(slices.Values(types)), ", "), context, (f.KVBytes+1023)/1024)
}

func bytesWords(n int64) string { return fmt.Sprintf("%.0f MB", math.Ceil(float64(n)/1e6)) }

// large is a count for people: 1.5 B, 60 M.
func large(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1f B", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.0f M", float64(n)/1e6)
	}
	return fmt.Sprint(n)
}

// aboutFile is what 'models add' and 'models show' say of a model file: what it is, how fast it will be or was
// here, and where it has its place on the wafer.
type aboutFile struct {
	modelfiles.Facts
	Expected expectedHere         `json:"expected"`
	Here     *modelfiles.Measured `json:"measured_here,omitempty"` // by 'models test'
	TooLarge string               `json:"too_large,omitempty"`     // why it will not be loaded
	Wafer    *placedFile          `json:"wafer"`                   // an estimate; null: it has no place on it
	NoPlace  string               `json:"wafer_refusal,omitempty"`
}

// expectedHere is the speed that the memory of this computer allows. It is not measured.
type expectedHere struct {
	TokS      float64 `json:"decode_tok_s"`
	Bandwidth float64 `json:"memory_gb_s"` // that was measured
}

// placedFile is the place of a model on the wafer.
type placedFile struct {
	Machine string      `json:"machine"`
	Wafers  int         `json:"wafers"`
	Mesh    int         `json:"mesh"` // side of a region
	Regions int         `json:"regions"`
	Cores   int         `json:"cores"`
	SRAM    int         `json:"sram_bytes_per_core"` // of the fullest one
	Cycles  float64     `json:"cycles_per_token"`
	TokS    float64     `json:"estimated_tok_s"`
	Band    *wafer.Band `json:"band"`
	Context int         `json:"context"` // at which these are
}

func (e *env) aboutFile(path string) (about aboutFile, err error) {
	f, err := gguf.Open(path)
	if err != nil {
		return about, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := f.Config()
	if err != nil {
		return about, err
	}
	if about.Facts, err = modelfiles.FactsOf(path); err != nil {
		return about, err
	}
	speed := e.files.Bandwidth()
	about.Expected = expectedHere{infer.Expected(c.BlockCount, about.Reads, speed), speed / 1e9}
	if m, is := e.files.MeasuredOf(path); is {
		about.Here = &m
	}
	var no *infer.TooLarge
	if errors.As(infer.Fit(f, e.fileSettings().Room(), "models may take",
		"raise memory below [model_files] in config.toml"),
		&no) {
		about.TooLarge = no.Error()
	}
	if about.Wafer, err = placed(c); err != nil {
		about.NoPlace = cleanName(err.Error())
	}
	return about, nil
}

// placedContext is the context for which a model is placed, unless its own is shorter.
const placedContext = 4096

// placed returns the place of a model on a WSE-3, or why it has none.
func placed(c transformer.Config) (*placedFile, error) {
	m, err := wafer.MachineByName("wse-3")
	if err != nil {
		return nil, err
	}
	context := placedContext
	if c.ContextLength > 0 {
		context = min(context, c.ContextLength)
	}
	r, err := wafer.Estimate(wafer.Request{Machine: m, Model: c, Context: context})
	if err != nil {
		return nil, err
	}
	p := &placedFile{Machine: r.Machine, Wafers: r.Wafers, Mesh: r.Placement.Mesh, Regions: len(r.Placement.Regions),
		SRAM: r.SRAMPerCore, Cycles: math.Round(r.CyclesPerToken), TokS: math.Round(r.DecodeTokS), Band: r.Band,
		Context: context}
	for _, region := range r.Placement.Regions {
		p.Cores += region.P * region.P
	}
	return p, nil
}

// printAbout prints what is known of a model file besides its facts.
func (e *env) printAbout(a aboutFile, name string) {
	row := func(what, says string) { fmt.Fprintf(e.out, "  %-22s %s\n", what, says) }
	if a.TooLarge != "" {
		row("does not fit", a.TooLarge)
	}
	row("expected here",
		fmt.Sprintf("about %s tokens a second, not measured: a token reads %s, and memory was read at %s GB/s",
			roughly(a.Expected.TokS), bytesWords(a.Reads), figure(a.Expected.Bandwidth)))
	if a.Here != nil {
		row("measured here", fmt.Sprintf("%s tokens a second; a prompt at %s; loaded in %s ms, %s of memory",
			figure(a.Here.Decode), figure(a.Here.Prefill), figure(a.Here.Load), bytesWords(a.Here.Memory)))
	} else {
		row("measured here", "not yet: waferpair models test "+name)
	}
	if a.Wafer == nil {
		row("on a WSE-3", "no place: "+a.NoPlace)
		return
	}
	w := a.Wafer
	row("on a WSE-3", fmt.Sprintf("%s tokens a second%s, an estimate: %s of %d x %d, %d cores of %s, at a context of %d",
		round3(w.TokS), band(w.Band), count(w.Regions, "region"), w.Mesh, w.Mesh, w.Cores,
		count(w.Wafers, "wafer"), w.Context))
}

// roughly is a figure with two digits: more would say what nobody knows.
func roughly(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2g", v)
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return fmt.Sprintf("%.0f", math.Round(v/unit)*unit)
}

// fileSettings are the choices in config.toml for model files.
func (e *env) fileSettings() local.Settings {
	c := e.providers.File.Read().ModelFiles
	return local.Settings{Memory: c.Memory, Keep: c.Keep, Threads: c.Threads}
}

// threads returns how many threads compute: those of a flag, or of config.toml; 0 is as many as are best.
func (e *env) threads(flag int) (int, error) {
	if flag < 0 {
		return 0, usageError("--threads %d: 0 is one for each core", flag)
	}
	return cmp.Or(flag, e.fileSettings().Threads), nil
}
