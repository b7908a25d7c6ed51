package floorplan

import (
	"bufio"
	"fmt"
	"image/color"
	"io"
	"strings"

	"waferpair/wafer"
)

// Colors is what a terminal can display.
type Colors int

// Plain uses letters; the others use half blocks, so that a character is two squares one
// above the other.
const (
	Plain Colors = iota
	Colors256
	TrueColor
)

// TextOptions configure a drawing in characters.
type TextOptions struct {
	Columns int // of the terminal; 0 is 80
	Colors  Colors
}

// WriteText draws a subject with characters. Wafers are to scale; their frame stands for
// the halo, which is thinner than a character.
func WriteText(w io.Writer, s Subject, o TextOptions) error {
	if o.Columns <= 0 {
		o.Columns = 80
	}
	out := bufio.NewWriter(w)
	title := s.headline() + ": " + s.subline()
	if o.Colors == Plain {
		title = inLetters(title)
	}
	fmt.Fprintf(out, "%s\n\n", title)
	panels := s.panels()
	wide, perRow := textLayout(len(panels), o.Columns)
	high := max(2, (wide*s.Machine.Height/s.Machine.Width+1)/2)
	for at := 0; at < len(panels); at += perRow {
		var rows [][]string
		for i := at; i < min(at+perRow, len(panels)); i++ {
			rows = append(rows, newTextWafer(s, panels, i, wide, high).lines(o.Colors))
		}
		for y := range rows[0] {
			var line []string
			for _, r := range rows {
				line = append(line, r[y])
			}
			fmt.Fprintln(out, strings.TrimRight(strings.Join(line, "  "), " "))
		}
		fmt.Fprintln(out)
	}
	s.textKeys(out, o.Colors)
	if o.Colors == Plain {
		s.textRegions(out, panels)
	}
	s.textFigures(out)
	return out.Flush()
}

// textLayout returns the width of a wafer inside its frame, and how many are in a row.
func textLayout(panels, columns int) (wide, perRow int) {
	perRow = min(panels, max(1, (columns+2)/18))
	wide = (columns+2)/perRow - 4
	return max(6, min(wide, 36)), perRow
}

// nothing is the index of no region.
const nothing = -1

type textWafer struct {
	Subject
	panel      panel
	next       []string // the direction of each region's transfer
	wide, high int      // characters
	over       map[[2]int]rune
}

func newTextWafer(s Subject, panels []panel, i, wide, high int) *textWafer {
	t := &textWafer{Subject: s, panel: panels[i], wide: wide, high: high, over: map[[2]int]rune{},
		next: s.directions(panels, i)}
	for j, r := range t.panel.regions {
		t.label(j, r)
	}
	return t
}

// directions returns the side to which each region of a wafer transfers a token.
func (s Subject) directions(panels []panel, i int) []string {
	pairs, _, _ := s.hands(panels)
	side := map[spot]string{}
	for _, h := range pairs {
		side[h[0]] = toward(h[0], h[1])
	}
	list := make([]string, len(panels[i].regions))
	for k, r := range panels[i].regions {
		list[k] = side[spot{i, r}]
	}
	return list
}

func toward(a, b spot) string {
	dx, dy := 2*(b.X-a.X)+b.P-a.P, 2*(b.Y-a.Y)+b.P-a.P
	switch {
	case a.panel != b.panel:
		return "⇒"
	case max(dx, -dx) >= max(dy, -dy) && dx > 0:
		return "→"
	case max(dx, -dx) >= max(dy, -dy):
		return "←"
	case dy > 0:
		return "↓"
	}
	return "↑"
}

// region returns the region at half a character, counted from the top.
func (t *textWafer) region(x, half int) int {
	width, height := t.Machine.Usable()
	cx, cy := (2*x+1)*width/(2*t.wide), (2*half+1)*height/(4*t.high)
	for i, r := range t.panel.regions {
		if cx >= r.X && cx < r.X+r.P && cy >= r.Y && cy < r.Y+r.P {
			return i
		}
	}
	return nothing
}

// label puts a region's layers, and the direction of its transfer, over its middle.
func (t *textWafer) label(i int, r wafer.Region) {
	width, height := t.Machine.Usable()
	x0, x1 := r.X*t.wide/width, (r.X+r.P)*t.wide/width
	y0, y1 := r.Y*t.high/height, (r.Y+r.P)*t.high/height
	side := t.next[i]
	for _, text := range t.labels(r) {
		one := strings.TrimSpace(text + " " + side)
		switch room := x1 - x0 - 2; {
		case y1 <= y0:
			return
		case len([]rune(one)) <= room:
			t.put(one, x0, x1, (y0+y1-1)/2)
			return
		case len([]rune(text)) <= room+1 && y1-y0 >= 2:
			t.put(text, x0, x1, (y0+y1-1)/2)
			t.put(side, x0, x1, (y0+y1-1)/2+1)
			return
		}
	}
}

func (t *textWafer) put(text string, x0, x1, y int) {
	letters := []rune(text)
	at := x0 + (x1-x0-len(letters))/2
	for i, r := range letters {
		t.over[[2]int{at + i, y}] = r
	}
}

// lines returns the wafer with its title and frame.
func (t *textWafer) lines(c Colors) []string {
	frame := []string{"┌", "─", "┐", "│", "└", "┘"}
	if c == Plain {
		frame = []string{"#", "#", "#", "#", "#", "#"}
	}
	title := t.panel.title
	list := []string{fmt.Sprintf("%-*.*s", t.wide+2, t.wide+2, title),
		frame[0] + strings.Repeat(frame[1], t.wide) + frame[2]}
	for y := range t.high {
		line := frame[3]
		for x := range t.wide {
			line += t.cell(c, x, y)
		}
		if c != Plain {
			line += "\x1b[0m"
		}
		list = append(list, line+frame[3])
	}
	return append(list, frame[4]+strings.Repeat(frame[1], t.wide)+frame[5])
}

func (t *textWafer) cell(c Colors, x, y int) string {
	letter, labelled := t.over[[2]int{x, y}]
	if c == Plain {
		if labelled {
			return inASCII(letter)
		}
		return t.letter(x, y)
	}
	upper, lower := t.shade(t.region(x, 2*y)), t.shade(t.region(x, 2*y+1))
	if labelled {
		return paint(c, onTop(upper), upper) + string(letter)
	}
	return paint(c, upper, lower) + "▀"
}

// shade returns a region's color, every second one lighter, so that neighbours differ.
func (t *textWafer) shade(i int) color.RGBA {
	if i == nothing {
		return unused
	}
	c := t.fill(t.panel.regions[i])
	if i%2 == 1 {
		c = mix(c, paper, 0.15)
	}
	return c
}

// letter returns a region's letter, for output without colors. A label has space around it.
func (t *textWafer) letter(x, y int) string {
	_, before := t.over[[2]int{x - 1, y}]
	_, after := t.over[[2]int{x + 1, y}]
	i := t.region(x, 2*y)
	switch {
	case before || after:
		return " "
	case i == nothing:
		return "."
	}
	return regionLetter(t.panel.regions[i].Kind, i)
}

func regionLetter(kind wafer.RegionKind, i int) string {
	switch kind {
	case wafer.EmbeddingRegion:
		return "E"
	case wafer.HeadRegion:
		return "H"
	}
	return string(rune('a' + i%26))
}

func inLetters(text string) string {
	out := ""
	for _, r := range text {
		out += inASCII(r)
	}
	return out
}

func inASCII(r rune) string {
	if to, ok := map[rune]string{'→': ">", '←': "<", '↓': "v", '↑': "^", '⇒': "=", '–': "-", '×': "x"}[r]; ok {
		return to
	}
	return string(r)
}

func paint(c Colors, fore, back color.RGBA) string {
	if c == TrueColor {
		return fmt.Sprintf("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm", fore.R, fore.G, fore.B, back.R, back.G, back.B)
	}
	return fmt.Sprintf("\x1b[38;5;%d;48;5;%dm", cube(fore), cube(back))
}

// cube returns the nearest of the 216 colors of a terminal with 256.
func cube(c color.RGBA) int {
	level := func(v uint8) int { return (int(v)*5 + 127) / 255 }
	return 16 + 36*level(c.R) + 6*level(c.G) + level(c.B)
}
