package editstream

import (
	"bytes"
	"unicode/utf8"
)

// LineLimit is the longest line, in bytes, that an edit may have. It bounds what a parser
// buffers: the current line and, at most, a few held-back ones.
const LineLimit = 1 << 20

// piece is a line of the stream without its line break, or a part of a line that is longer
// than LineLimit.
type piece struct {
	text string
	no   int    // line number, from 1
	eol  string // "\n", "\r\n", or "" when the stream ended or the line goes on
	more bool   // the line goes on in the next piece
	rest bool   // the line began in an earlier piece
}

// long reports whether the piece belongs to a line beyond LineLimit.
func (p piece) long() bool { return p.more || p.rest }

// whole returns the piece with its line break, as it stood in the stream.
func (p piece) whole() string { return p.text + p.eol }

// lineBuffer cuts chunks into lines. Only '\n' ends a line, and that byte never occurs
// inside a UTF-8 sequence, so chunk boundaries do not matter.
type lineBuffer struct {
	buf  []byte
	no   int
	rest bool
}

func (b *lineBuffer) push(chunk []byte, each func(piece)) {
	for len(chunk) > 0 {
		nl := bytes.IndexByte(chunk, '\n')
		take := len(chunk)
		if nl >= 0 {
			take = nl
		}
		if room := LineLimit - len(b.buf); take > room {
			b.buf = append(b.buf, chunk[:room]...)
			chunk = chunk[room:]
			b.spill(each)
			continue
		}
		b.buf = append(b.buf, chunk[:take]...)
		if nl < 0 {
			return
		}
		b.end("\n", each)
		chunk = chunk[nl+1:]
	}
}

// open returns the last line as far as it came.
func (b *lineBuffer) open() string { return string(b.buf) }

// close emits the last line when it has no line break.
func (b *lineBuffer) close(each func(piece)) {
	if len(b.buf) > 0 || b.rest {
		b.end("", each)
	}
}

func (b *lineBuffer) end(eol string, each func(piece)) {
	line := b.buf
	if k := len(line) - 1; eol != "" && k >= 0 && line[k] == '\r' {
		line, eol = line[:k], "\r\n"
	}
	b.emit(string(line), eol, false, each)
	b.buf = b.buf[:0]
}

// spill emits a full buffer as a part of a line, up to a character boundary.
func (b *lineBuffer) spill(each func(piece)) {
	n := len(b.buf)
	for back := 1; back < utf8.UTFMax && back < n; back++ {
		if utf8.RuneStart(b.buf[n-back]) {
			if !utf8.FullRune(b.buf[n-back:]) {
				n -= back
			}
			break
		}
	}
	tail := append([]byte(nil), b.buf[n:]...)
	b.emit(string(b.buf[:n]), "", true, each)
	b.buf = append(b.buf[:0], tail...)
}

func (b *lineBuffer) emit(text, eol string, more bool, each func(piece)) {
	if !b.rest {
		b.no++
	}
	p := piece{text: text, no: b.no, eol: eol, more: more, rest: b.rest}
	b.rest = more
	each(p)
}
