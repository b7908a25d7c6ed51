package text

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"
)

var allEncodings = []Encoding{UTF8, UTF8BOM, UTF16LE, UTF16BE, Latin1}

// reference returns x/text's encoding, for those that convert.
var reference = map[Encoding]encoding.Encoding{
	UTF16LE: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	UTF16BE: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	Latin1:  charmap.ISO8859_1,
}

func TestDecodeAndEncodeAgainstXText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, e := range []Encoding{UTF16LE, UTF16BE, Latin1} {
			ref := reference[e]
			raw := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "raw")
			want, err := ref.NewDecoder().Bytes(raw)
			must(t, want, err)
			// x/text decodes two stray low surrogates to one U+FFFD; we decode them to two.
			if got := e.Decode(raw); got != string(want) && !strings.Contains(got, "\uFFFD\uFFFD") {
				t.Fatalf("%v: %x decodes to %q, want %q", e, raw, got, want)
			}
			s := genText().Draw(t, "s")
			if !utf8.ValidString(s) {
				continue
			}
			want, err = ref.NewEncoder().Bytes([]byte(s))
			got, gotErr := e.Encode(s)
			if (err == nil) != (gotErr == nil) || err == nil && !bytes.Equal(got, want) {
				t.Fatalf("%v: %q encodes to %x (%v), want %x (%v)", e, s, got, gotErr, want, err)
			}
		}
	})
}

func TestEncodeNamesTheCharacter(t *testing.T) {
	for _, c := range []struct {
		e    Encoding
		s    string
		char string
		at   Byte
	}{
		{Latin1, "naïve €", "€", 7},
		{Latin1, "a\uFFFD", "\uFFFD", 1},
		{Latin1, "\xff", "\xff", 0},
		{UTF16LE, "ab\xef\xbf", "\xef", 2},
	} {
		_, err := c.e.Encode(c.s)
		var e *EncodeError
		if !errors.As(err, &e) || e.Char != c.char || e.At != c.at || !strings.Contains(err.Error(), c.e.String()) {
			t.Errorf("%v of %q: %v", c.e, c.s, err)
		}
	}
}

func encoded(e Encoding, s string) []byte {
	b, err := e.Encode(s)
	if err != nil {
		panic(err)
	}
	return b
}

func TestDetectEncoding(t *testing.T) {
	code := "// naïve\r\npackage main\n\nfunc main() {}\n"
	for _, c := range []struct {
		name   string
		b      []byte
		want   Encoding
		binary bool
	}{
		{"empty", nil, UTF8, false},
		{"ASCII", []byte("hello\n"), UTF8, false},
		{"UTF-8", []byte(code), UTF8, false},
		{"UTF-8 with mark", []byte("\xef\xbb\xbf" + code), UTF8BOM, false},
		{"only the mark", []byte("\xef\xbb\xbf"), UTF8BOM, false},
		{"Latin-1", encoded(Latin1, code), Latin1, false},
		{"UTF-16 LE with mark", encoded(UTF16LE, "\ufeff"+code), UTF16LE, false},
		{"UTF-16 BE with mark", encoded(UTF16BE, "\ufeff"+code), UTF16BE, false},
		{"UTF-16 LE", encoded(UTF16LE, code), UTF16LE, false},
		{"UTF-16 BE", encoded(UTF16BE, code), UTF16BE, false},
		{"UTF-16 Chinese with mark", encoded(UTF16LE, "\ufeff你好，世界\n"), UTF16LE, false},
		{"UTF-16 long with pairs", encoded(UTF16BE, strings.Repeat("a b😀 code\n", 3000)), UTF16BE, false},
		{"UTF-16 pair across the sample", encoded(UTF16LE, strings.Repeat("x", sampleLen/2-1)+"😀"+"y"), UTF16LE, false},
		{"UTF-32 LE with mark", []byte("\xff\xfe\x00\x00a\x00\x00\x00"), UTF8, true},
		{"text with a NUL", []byte("hello\x00"), UTF8, true},
		{"NUL-separated names", []byte("one\x00three\x00five\x00x"), UTF8, true},
		{"16-bit numbers", []byte("\x01\x00\x02\x00\x03\x00\x04\x00"), UTF8, true},
		{"PNG", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00"), UTF8, true},
		{"NUL after the sample", []byte(strings.Repeat("x", sampleLen) + "\x00"), UTF8, false},
		{"odd UTF-16 without mark", append(encoded(UTF16LE, code), 'x'), UTF8, true},
	} {
		if got := DetectEncoding(c.b); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		if got := IsBinary(c.b); got != c.binary {
			t.Errorf("%s: binary %v, want %v", c.name, got, c.binary)
		}
	}
}

// TestDetectEncodingOfRealFiles: every file of Go's own source is UTF-8, and its test data
// has real images and archives.
func TestDetectEncodingOfRealFiles(t *testing.T) {
	for pattern, binary := range map[string]bool{
		"src/strings/*.go":               false,
		"src/unicode/utf8/*.go":          false,
		"src/image/testdata/*.png":       true,
		"src/archive/zip/testdata/*.zip": true,
		"bin/go*":                        true,
	} {
		files, _ := filepath.Glob(filepath.Join(goroot(t), pattern))
		if len(files) == 0 {
			t.Errorf("no files %s in Go's installation", pattern)
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if got := IsBinary(must(t, b, err)); got != binary || DetectEncoding(b) != UTF8 {
				t.Errorf("%s: binary %v, %v", f, got, DetectEncoding(b))
			}
		}
	}
}

func TestSplitLinesOfEveryEncoding(t *testing.T) {
	smallLeaves(t)
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", "\n", "\r", "\r\n", "ÿ", "\u00a0", ""}), 0,
			20).Draw(t, "parts"), "")
		enc := rapid.SampledFrom(allEncodings).Draw(t, "encoding")
		doc := encoded(enc, s)
		mark := rapid.Bool().Draw(t, "mark") && enc.BOM() != nil
		if mark {
			doc = append(bytes.Clone(enc.BOM()), doc...)
		}
		checkLines(t, enc, doc, s, mark)
	})
}

// checkLines compares SplitLines with splitting the decoded text.
func checkLines(t rapid.TB, enc Encoding, doc []byte, s string, mark bool) {
	t.Helper()
	lines := SplitLines(enc, Of(doc))
	want := strings.SplitAfter(s, "\n")
	if len(lines) != len(want) {
		t.Fatalf("%v %q: %d lines, want %d", enc, s, len(lines), len(want))
	}
	pos := Byte(0)
	if mark {
		pos = Byte(len(enc.BOM()))
	}
	for i, l := range lines {
		content, ending := enc.Decode(doc[l.From:l.To]), enc.Decode(doc[l.To:l.End])
		if l.From != pos || content+ending != want[i] || ending != l.Ending ||
			strings.HasSuffix(content+"\n", "\r\n") && ending == "\n" {
			t.Fatalf("%v %q: line %d is %v with %q and %q", enc, s, i, l, content, ending)
		}
		pos = l.End
	}
	if pos != Byte(len(doc)) {
		t.Fatalf("%v %q: lines end at %d of %d", enc, s, pos, len(doc))
	}
}

// TestSplitLinesLooksAtWholeUnits: U+0A0D and U+0D0A contain the bytes of line breaks.
func TestSplitLinesLooksAtWholeUnits(t *testing.T) {
	for _, enc := range []Encoding{UTF16LE, UTF16BE} {
		checkLines(t, enc, encoded(enc, "a\u0a0d\u0d0a\u0a00\u000ab\u010a"), "a\u0a0d\u0d0a\u0a00\nb\u010a", false)
		odd := SplitLines(enc, Of(append(encoded(enc, "a\n"), '\n')))
		if len(odd) != 2 || odd[1] != (Line{4, 5, 5, ""}) {
			t.Errorf("odd last byte: %v", odd)
		}
	}
}
