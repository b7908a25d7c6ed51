package lines

import (
	"bytes"
	"go/scanner"
	"go/token"
	"unicode/utf8"
)

// measured is a file with the columns of its lines.
type measured struct {
	src    []byte
	file   *token.File
	free   map[int][]span // by line: bytes that do not count
	long   map[int]bool
	starts map[int]int // by line: offset of its first token
}

// span is a range of bytes.
type span struct{ from, to int }

func measure(file *token.File, src []byte) *measured {
	m := &measured{src: src, file: file, free: map[int][]span{}, long: map[int]bool{}, starts: map[int]int{}}
	m.scan()
	for line := 1; line <= file.LineCount(); line++ {
		if m.columns(line, m.end(line)) > Width {
			m.long[line] = true
		}
	}
	return m
}

// scan finds the strings that do not count.
func (m *measured) scan() {
	file := token.NewFileSet().AddFile(m.file.Name(), -1, len(m.src))
	var s scanner.Scanner
	s.Init(file, m.src, nil, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		from := file.Offset(pos)
		line := m.line(from)
		if _, known := m.starts[line]; !known {
			m.starts[line] = from
		}
		if tok != token.STRING {
			continue
		}
		to := from + len(lit)
		last := m.line(to)
		if line == last && m.indent(line)+1+utf8.RuneCountInString(lit)+1 <= Width {
			continue // it would fit on a line of its own, with a comma
		}
		for l := line; l <= last; l++ {
			m.free[l] = append(m.free[l], span{max(from, m.begin(l)), min(to, m.end(l))})
		}
	}
}

func (m *measured) line(offset int) int { return m.file.Line(m.file.Pos(offset)) }
func (m *measured) begin(line int) int  { return m.file.Offset(m.file.LineStart(line)) }

func (m *measured) end(line int) int {
	if line == m.file.LineCount() {
		return len(m.src)
	}
	return m.begin(line+1) - 1
}

// indent returns the number of tabs before a line.
func (m *measured) indent(line int) int {
	text := m.src[m.begin(line):m.end(line)]
	return len(text) - len(bytes.TrimLeft(text, "\t"))
}

// columns returns the columns of a line up to an offset.
func (m *measured) columns(line, offset int) int {
	from, n := m.begin(line), 0
	for _, f := range m.free[line] {
		if f.from >= offset {
			break
		}
		n += utf8.RuneCount(m.src[from:f.from])
		from = min(f.to, offset)
	}
	return n + utf8.RuneCount(m.src[from:offset])
}

// The costs of a place: for each level of nesting, each column left empty on the line, each
// line that the rest must be broken into, and a very short rest.
const (
	perLevel  = 15
	perColumn = 0.4
	perLine   = 20
	lost      = 25
	shortRest = 16
)

// cost returns the cost of breaking a line at a place; false if the line stays too long.
func (m *measured) cost(line int, p place) (int, bool) {
	at := m.columns(line, p.at)
	if at > Width {
		return 0, false
	}
	cost := p.cost + p.depth*perLevel
	if p.block {
		return cost, true
	}
	rest := m.indent(line) + 1 + m.columns(line, m.end(line)) - at
	if rest-m.indent(line) < shortRest && p.cost < lost {
		cost += lost
	}
	cost += perLine * (rest / Width)
	return cost + int(float64(Width-at)*perColumn), true
}
