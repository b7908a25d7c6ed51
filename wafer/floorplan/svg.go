package floorplan

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"strings"
)

// WriteSVG writes a scene as SVG 1.1, without scripts or external resources.
func (s *Scene) WriteSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif">`+"\n", s.Width, s.Height, s.Width, s.Height)
	fmt.Fprintf(out, "<title>%s</title>\n", escaped(s.Title))
	if !s.page {
		fmt.Fprintln(out, `<rect width="100%" height="100%" fill="#fff"/>`)
	}
	for _, m := range s.marks {
		fmt.Fprint(out, svg(m))
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

func svg(m any) string {
	switch m := m.(type) {
	case box:
		return svgBox(m)
	case line:
		return fmt.Sprintf(
			`<polyline points="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linecap="round" stroke-linejoin="round"/>`+
				"\n", svgPoints(m.points), hex(m.color), short(m.width))
	case disc:
		return fmt.Sprintf(`<circle cx="%s" cy="%s" r="%s" fill="%s"/>`+"\n", short(m.at.x), short(m.at.y),
			short(m.radius), hex(m.color))
	case arrow:
		return fmt.Sprintf(`<polygon points="%s" fill="%s"/>`+"\n", svgPoints(m.corner[:]), hex(m.color))
	case words:
		return svgWords(m)
	}
	panic(fmt.Sprintf("floorplan: no picture of a %T", m))
}

func svgBox(b box) string {
	in := b.border / 2
	look := `fill="none"`
	if b.fill.A > 0 {
		look = fmt.Sprintf(`fill="%s"`, hex(b.fill))
	}
	if b.border > 0 {
		look += fmt.Sprintf(` stroke="%s" stroke-width="%s"`, hex(b.stroke), short(b.border))
	}
	text := fmt.Sprintf(`<rect%s x="%s" y="%s" width="%s" height="%s" %s`, b.role, short(b.x+in), short(b.y+in),
		short(max(0, b.w-b.border)), short(max(0, b.h-b.border)), look)
	if b.tip == "" {
		return text + "/>\n"
	}
	return text + "><title>" + escaped(b.tip) + "</title></rect>\n"
}

func svgWords(t words) string {
	look := ""
	if t.bold {
		look += ` font-weight="bold"`
	}
	if t.align != left {
		look += fmt.Sprintf(` text-anchor="%s"`, [...]string{"", "middle", "end"}[t.align])
	}
	return fmt.Sprintf(`<text%s x="%s" y="%s" font-size="%s" fill="%s"%s>%s</text>`+"\n", t.role, short(t.at.x),
		short(t.at.y+t.size*0.36), short(t.size), hex(t.color), look, escaped(t.text))
}

func svgPoints(list []point) string {
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(short(p.x) + "," + short(p.y))
	}
	return b.String()
}

// short formats a number with at most two decimals.
func short(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}

// String returns the attributes of a mark with a role.
func (r role) String() string {
	switch r.class {
	case "":
		return ""
	case regionClass:
		return fmt.Sprintf(` class="%s" data-region="%d"`, r.class, r.region)
	}
	return fmt.Sprintf(` class="%s"`, r.class)
}
