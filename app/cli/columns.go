package cli

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// nameColumn is how wide the first column of a list is at least: one list follows another.
const nameColumn = 12

// printColumns prints rows whose cells line up. The last cell of a row takes what room it needs.
func (e *env) printColumns(rows [][]string) {
	wide := []int{nameColumn}
	for _, row := range rows {
		for i, cell := range row[:len(row)-1] {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], columns(cell))
		}
	}
	for _, row := range rows {
		last := len(row) - 1
		for i, cell := range row[:last] {
			fmt.Fprint(e.out, cell+strings.Repeat(" ", wide[i]-columns(cell)+1))
		}
		fmt.Fprintln(e.out, row[last])
	}
}

// columns returns how many columns of a terminal a text takes: two for each ideograph, none for an accent that
// stands on the letter before it.
func columns(s string) (n int) {
	for _, r := range s {
		switch kind := width.LookupRune(r).Kind(); {
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
