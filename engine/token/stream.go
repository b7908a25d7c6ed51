package token

import "unicode/utf8"

// Stream turns an answer's tokens into text. A token may end inside a character; its bytes are
// held back until the character is whole. Bytes that belong to no character become U+FFFD, one for
// each, so the texts together are those of all bytes as Go reads UTF-8.
type Stream struct {
	v    *Vocabulary
	held []byte
	// Names makes control tokens appear by their names, for parsers of answers whose tool calls
	// begin with one. Otherwise they are left out.
	Names bool
}

// NewStream returns a stream at its beginning.
func (v *Vocabulary) NewStream() *Stream { return &Stream{v: v} }

// Add returns the text that is whole with one more token.
func (s *Stream) Add(id int32) string {
	piece := s.v.Piece(id)
	if s.Names && s.v.Control(id) {
		piece = s.v.Name(id)
	}
	if len(s.held) == 0 && utf8.ValidString(piece) {
		return piece
	}
	s.held = append(s.held, piece...)
	return s.flush(false)
}

// End returns the rest: what is held back never became whole.
func (s *Stream) End() string { return s.flush(true) }

// Held returns the number of bytes that are held back.
func (s *Stream) Held() int { return len(s.held) }

func (s *Stream) flush(all bool) string {
	var out []byte
	at := 0
	for at < len(s.held) && (all || utf8.FullRune(s.held[at:])) {
		r, n := utf8.DecodeRune(s.held[at:])
		out = utf8.AppendRune(out, r)
		at += n
	}
	s.held = append(s.held[:0], s.held[at:]...)
	return string(out)
}
