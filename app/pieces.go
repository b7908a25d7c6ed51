package app

import (
	"waferpair/engine"
	"waferpair/workspace/text"
)

// pieces returns the places that a change touches, with line numbers in the new text,
// decoded for people to read.
func pieces(before text.Text, cs text.ChangeSet, enc text.Encoding) []engine.Piece {
	var out []engine.Piece
	shift := 0
	for c := range cs.Changes {
		p := engine.Piece{Line: text.LineOf(before, c.From) + 1 + shift,
			Removed: enc.Decode(before.Slice(c.From, c.To).Bytes()), Inserted: enc.Decode([]byte(c.Insert))}
		shift += countLines(p.Inserted) - countLines(p.Removed)
		out = append(out, p)
	}
	return out
}

func countLines(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] == '\n' {
			n++
		}
	}
	return n
}

// inCharacters decodes pieces for people to read.
func inCharacters(of []engine.Piece, t text.Text, enc text.Encoding) []engine.Piece {
	if text.IsUTF16(t) { // they are decoded already
		return of
	}
	for i, p := range of {
		of[i].Removed, of[i].Inserted = enc.Decode([]byte(p.Removed)), enc.Decode([]byte(p.Inserted))
	}
	return of
}
