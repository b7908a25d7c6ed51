package floorplan

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	"waferpair/wafer"
)

// textKeys explains colors, letters and arrows.
func (s Subject) textKeys(w io.Writer, c Colors) {
	if c == Plain {
		fmt.Fprintf(w, "E embedding   H head   a-z layers   . not used   # halo (%d columns, %d rows)\n",
			s.Machine.HaloColumns, s.Machine.HaloRows)
		fmt.Fprintf(w, "> < ^ v to the next region   = to the next wafer\n\n")
		return
	}
	swatch := func(col color.RGBA) string { return paint(c, col, col) + "  \x1b[0m" }
	var ramp strings.Builder
	for i := range 16 {
		col := layerColor(i, 16)
		ramp.WriteString(paint(c, col, col) + " ")
	}
	if s.Report.Placement.Layout != wafer.WaferLLM {
		fmt.Fprintf(w, "%s\x1b[0m layers 0–%d   %s embedding   %s head   %s not used\n", ramp.String(), s.Model.BlockCount-1,
			swatch(embedding), swatch(head), swatch(unused))
		fmt.Fprintf(w, "→ ← ↑ ↓ to the next region   ⇒ to the next wafer   the frame is the halo: %d columns, %d rows\n\n",
			s.Machine.HaloColumns, s.Machine.HaloRows)
		return
	}
	fmt.Fprintf(w, "%s one layer   %s not used\n\n", swatch(s.fill(wafer.Region{Kind: wafer.LayerRegion})), swatch(unused))
}

// maxListed is how many regions are listed; JSON has all of them.
const maxListed = 40

// textRegions lists the place of every region.
func (s Subject) textRegions(w io.Writer, panels []panel) {
	listed, all := 0, 0
	for k, p := range panels {
		for i, r := range p.regions {
			if all++; listed == maxListed {
				continue
			}
			listed++
			fmt.Fprintf(w, "  %s %-22s %s, from column %d, row %d: %d x %d cores\n", regionLetter(r.Kind, i),
				inLetters(s.labels(r)[0]), panels[k].title, r.X, r.Y, r.P, r.P)
		}
	}
	if all > listed {
		fmt.Fprintf(w, "  and %d more; --json lists them all\n", all-listed)
	}
	fmt.Fprintln(w)
}

// textFigures prints the speeds and the SRAM.
func (s Subject) textFigures(w io.Writer) {
	r, u := s.Report, s.Report.Placement.SRAM
	band := ""
	if r.Band != nil {
		band = fmt.Sprintf(" (%s to %s by assumptions)", digits(r.Band.Low), digits(r.Band.High))
	}
	fmt.Fprintf(w, "estimated at %.2f GHz: decode %s tokens/s%s, prefill %s tokens/s\n", r.ClockGHz, digits(r.DecodeTokS),
		band, digits(r.PrefillTokS))
	fmt.Fprintf(w, "SRAM of the fullest core: %d of %d bytes (reserved %d, weights %d, KV cache %d, buffers %d)\n",
		u.Used(), s.Machine.SRAMBytes, u.Reserved, u.Weights, u.KV, u.Buffers)
	fmt.Fprintf(w, "colors %d of %d, %s\n", r.Colors, s.Machine.Colors, plural(r.Wafers, "wafer"))
}
