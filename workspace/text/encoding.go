package text

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// Encoding is how a file's bytes stand for characters. A Text always has the file's own
// bytes: nothing is transcoded on the way in or out, so what an edit does not touch stays
// identical. Only shown text is decoded, and only inserted text is encoded.
// (golang.org/x/text could convert, but cannot report which character an encoding lacks.)
type Encoding uint8

// The encodings that can be edited. A file in any other one is treated as UTF8 with invalid
// bytes, or as Latin1, which has a character for every byte; neither loses anything.
const (
	UTF8 Encoding = iota
	UTF8BOM
	UTF16LE
	UTF16BE
	Latin1
)

// String returns the encoding's usual name.
func (e Encoding) String() string {
	return [...]string{"UTF-8", "UTF-8 with BOM", "UTF-16 LE", "UTF-16 BE", "Latin-1"}[e]
}

// BOM returns the byte order mark that a file in this encoding starts with, or may start
// with if it is UTF-16. Decode and Encode leave it to the caller, who knows where the file
// starts: bytes.TrimPrefix(doc, e.BOM()).
func (e Encoding) BOM() []byte {
	switch e {
	case UTF8BOM:
		return []byte("\xef\xbb\xbf")
	case UTF16LE:
		return []byte("\xff\xfe")
	case UTF16BE:
		return []byte("\xfe\xff")
	}
	return nil
}

// byteOrder reads and writes code units.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// order returns the byte order of a UTF-16 encoding, and nil for any other.
func (e Encoding) order() byteOrder {
	switch e {
	case UTF16LE:
		return binary.LittleEndian
	case UTF16BE:
		return binary.BigEndian
	}
	return nil
}

// Decode returns b as characters. UTF-8 is returned unchanged, including invalid bytes;
// half a surrogate pair and an odd last byte of UTF-16 become U+FFFD. A byte order mark is
// a character (U+FEFF) like any other.
func (e Encoding) Decode(b []byte) string {
	switch e {
	case UTF16LE, UTF16BE:
		units := codeUnits(b, e.order())
		if len(b)%2 != 0 {
			units = append(units, utf8.RuneError)
		}
		return string(utf16.Decode(units))
	case Latin1:
		runes := make([]rune, len(b))
		for i, c := range b {
			runes[i] = rune(c)
		}
		return string(runes)
	}
	return string(b)
}

func codeUnits(b []byte, order byteOrder) []uint16 {
	units := make([]uint16, len(b)/2, len(b)/2+1)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return units
}

// EncodeError names a character that an encoding lacks.
type EncodeError struct {
	Encoding Encoding
	Char     string // or a byte that is not valid UTF-8, which only UTF-8 can contain
	At       Byte   // in the string
}

func (e *EncodeError) Error() string {
	return fmt.Sprintf(
		"text: encode byte %d of the new text: %v has no %+q; convert the file to UTF-8 first, or leave the character out",
		e.At, e.Encoding, e.Char)
}

// Encode returns s in the encoding, without a byte order mark, or an *EncodeError. It never
// replaces a character by another one.
func (e Encoding) Encode(s string) ([]byte, error) {
	if e == UTF8 || e == UTF8BOM {
		return []byte(s), nil
	}
	out := make([]byte, 0, 2*len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || e == Latin1 && r > 0xFF {
			return nil, &EncodeError{e, s[i : i+size], Byte(i)}
		}
		out = e.appendRune(out, r)
		i += size
	}
	return out, nil
}

// appendRune appends a rune that exists in the encoding.
func (e Encoding) appendRune(out []byte, r rune) []byte {
	if e == Latin1 {
		return append(out, byte(r))
	}
	for _, u := range utf16.AppendRune(nil, r) {
		out = e.order().AppendUint16(out, u)
	}
	return out
}

// sampleLen is how much of a file is read to distinguish binary from text: as much as git
// reads, and even.
const sampleLen = 8000

// IsBinary reports whether the file is not text, by git's rule: a NUL byte in its first
// 8000 bytes. Unlike for git, UTF-16 is text.
func IsBinary(b []byte) bool {
	return bytes.IndexByte(b[:min(len(b), sampleLen)], 0) >= 0 && DetectEncoding(b).order() == nil
}

// DetectEncoding detects a file's encoding by its byte order mark, or otherwise by its
// content: invalid UTF-8 without a NUL is Latin1.
func DetectEncoding(b []byte) Encoding {
	sample := b[:min(len(b), sampleLen)]
	for _, e := range []Encoding{UTF8BOM, UTF16LE, UTF16BE} {
		if bytes.HasPrefix(b, e.BOM()) && (e == UTF8BOM || isUTF16(sample, e)) {
			return e
		}
	}
	if bytes.IndexByte(sample, 0) >= 0 && len(b)%2 == 0 {
		for _, e := range []Encoding{UTF16LE, UTF16BE} {
			if looksUTF16(sample, e) {
				return e
			}
		}
	}
	if utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		return UTF8
	}
	return Latin1
}
