package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"waferpair/wafer"
	"waferpair/wafer/floorplan"
)

// drawing are the flags of 'wafer floorplan'.
type drawing struct {
	placing
	svg, png string
	scale    float64
}

func floorplanCommand(e *env) *cobra.Command {
	var d drawing
	c := &cobra.Command{
		Use:   "floorplan --model MODEL",
		Short: "Draw where a model's layers are on the wafers",
		Long: `floorplan places a model as 'waferpair wafer estimate' does, and draws it: wafers to
scale, regions with their layers, the tables, the way of a token, the halo, cores
that are not used, and the figures. Without a file it draws with characters, in
colours where the terminal has them.

The presets: ` + presetNames() + `.`,
		Example: `  waferpair wafer floorplan --model llama3-8b
  waferpair wafer floorplan --model llama3-70b --svg llama3-70b.svg --png llama3-70b.png
  waferpair wafer floorplan --model llama3-8b --machine wse-2 --layout waferllm --png - > waferllm.png`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return e.floorplan(cmd, &d) },
	}
	d.flags(c)
	f := c.Flags()
	f.StringVar(&d.svg, "svg", "", "write an SVG picture to this `file`; - is standard output")
	f.StringVar(&d.png, "png", "", "write a PNG picture to this `file`; - is standard output")
	f.Float64Var(&d.scale, "scale", 2, "pixels of a PNG for each of the SVG, 0.25 to 8")
	return c
}

func (e *env) floorplan(cmd *cobra.Command, d *drawing) error {
	request, err := d.settle(e, cmd)
	if err != nil {
		return err
	}
	if err := e.checkOutputs(cmd, d); err != nil {
		return err
	}
	report, err := wafer.Estimate(request)
	if err != nil {
		return cannotPlace("place", request, err)
	}
	subject := floorplan.Subject{Machine: request.Machine, Model: request.Model, Report: report}
	if d.svg != "" || d.png != "" {
		if err := e.writePictures(floorplan.New(subject), d); err != nil {
			return err
		}
	}
	switch {
	case e.json:
		jsonOut(e.out, report.Placement)
	case d.svg == "" && d.png == "":
		return unlessClosed(floorplan.WriteText(e.out, subject, e.textOptions()))
	}
	return nil
}

// checkOutputs allows at most one output on standard output.
func (e *env) checkOutputs(cmd *cobra.Command, d *drawing) error {
	toOut := 0
	for _, given := range []bool{d.svg == "-", d.png == "-", e.json} {
		if given {
			toOut++
		}
	}
	for name, path := range map[string]string{"svg": d.svg, "png": d.png} {
		if cmd.Flags().Changed(name) && strings.TrimSpace(path) == "" {
			return usageError("--%s: the file name is empty; give one, or - for standard output", name)
		}
	}
	switch {
	case toOut > 1:
		return usageError("--svg -, --png - and --json all write to standard output; give a file to all but one")
	case d.svg != "" && d.svg == d.png:
		return usageError("--svg and --png write to the same file %s; give each its own", d.svg)
	case d.png == "-" && e.isTerminal(e.out):
		return usageError("--png - would write a picture's bytes to the terminal; give a file, or redirect the output")
	case !(d.scale >= 0.25 && d.scale <= 8):
		return usageError("--scale %v: must be from 0.25 to 8", d.scale)
	}
	return nil
}

func (e *env) writePictures(scene *floorplan.Scene, d *drawing) error {
	for _, picture := range []struct {
		flag, path string
		write      func(io.Writer) error
	}{{"--svg", d.svg, scene.WriteSVG}, {"--png", d.png, func(w io.Writer) error { return scene.WritePNG(w, d.scale) }}} {
		if picture.path == "" {
			continue
		}
		if err := e.writeFile(picture.flag, picture.path, picture.write); err != nil {
			return err
		}
		if picture.path != "-" {
			fmt.Fprintf(e.err, "# %s written\n", picture.path)
		}
	}
	return nil
}

// textOptions describes the terminal.
func (e *env) textOptions() floorplan.TextOptions {
	o := floorplan.TextOptions{}
	if fd, ok := descriptor(e.out); ok {
		if columns, _, err := term.GetSize(fd); err == nil {
			o.Columns = columns
		}
	}
	if e.color(e.out) {
		o.Colors = floorplan.Colors256
		if mode := os.Getenv("COLORTERM"); mode == "truecolor" || mode == "24bit" {
			o.Colors = floorplan.TrueColor
		}
	}
	return o
}
