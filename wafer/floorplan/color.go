package floorplan

import "image/color"

// The palette of a printed page: white paper, layers from light to dark.
var (
	paper     = rgb(0xffffff)
	ink       = rgb(0x16202b)
	faint     = rgb(0x5a6673)
	hairline  = rgb(0xc9d0d8)
	unused    = rgb(0xeef1f4)
	haloColor = rgb(0x9aa4b0)
	embedding = rgb(0xf6c999)
	head      = rgb(0xe58c76)
	flow      = rgb(0xb3261e)
)

// ramp goes from light yellow to dark blue, with evenly falling lightness.
var ramp = []color.RGBA{rgb(0xe9f4c4), rgb(0xb5dfba), rgb(0x72c1c0), rgb(0x3a9ec0), rgb(0x2871ae),
	rgb(0x254a8f), rgb(0x1c2a68)}

func rgb(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }

// layerColor returns the color of a layer; 0 is the lightest.
func layerColor(layer, layers int) color.RGBA {
	at := 0.0
	if layers > 1 {
		at = float64(layer) / float64(layers-1) * float64(len(ramp)-1)
	}
	i := min(int(at), len(ramp)-2)
	return mix(ramp[i], ramp[i+1], at-float64(i))
}

// mix returns a at 0 and b at 1.
func mix(a, b color.RGBA, at float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*at + 0.5) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 255}
}

// onTop returns a color that is readable on c.
func onTop(c color.RGBA) color.RGBA {
	if lightness(c) < 0.5 {
		return paper
	}
	return ink
}

// lightness returns the grey value of a color, between 0 and 1.
func lightness(c color.RGBA) float64 {
	return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
}
