// Package textutil formats text for the terminal.
package textutil

import (
	"fmt"
	"math"
	"strings"
)

const ellipsis = "..."

// Pad fills a string with blanks up to a width.
func Pad(s string, width int) string {
	if len(s) >= width {
		return s
	}
	return s + strings.Repeat(" ", width-len(s))
}

func Truncate(s string, max int) string {
	if len(s) <= max {
		return s
	}
	if max <= len(ellipsis) {
		return s[:max]
	}
	return s[:max-len(ellipsis)] + ellipsis
}

// Bar draws a level as a bar of blocks.
func Bar(level, lo, hi float64, width int) string {
	if hi <= lo {
		return ""
	}
	n := int(math.Round((level - lo) / (hi - lo) * float64(width)))
	if n < 0 {
		n = 0
	}
	if n > width {
		n = width
	}
	return strings.Repeat("#", n) + strings.Repeat(".", width-n)
}

func Title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Columns joins cells to a row.
func Columns(cells ...string) string {
	return strings.Join(cells, "  ")
}

func formatLatLon(lat, lon float64) string {
	ns, ew := "N", "E"
	if lat < 0 {
		ns = "S"
	}
	if lon < 0 {
		ew = "W"
	}
	return fmt.Sprintf("%.4f%s %.4f%s", math.Abs(lat), ns, math.Abs(lon), ew)
}

// Center puts blanks on both sides.
func Center(s string, width int) string {
	gap := width - len(s)
	if gap <= 0 {
		return s
	}
	left := gap / 2
	return strings.Repeat(" ", left) + s + strings.Repeat(" ", gap-left)
}
