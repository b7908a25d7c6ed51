package query

import (
	"encoding/binary"
	"hash/crc32"
	"hash/fnv"
	"math"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"waferpair/history"
)

// The packed form of an outline in the history:
//
//	checksum  4 bytes, of the content's hash and all that follows
//	language  of the file's name: the same content can be read as several
//	text      all names, and containers where they change, one after the other
//	n         how many symbols; then, for each, in its order
//	  kind       an index of outlineKinds
//	  line       from the line of the one before; zigzag
//	  end        lines below that
//	  container  0: none; 1: that of the one before; else 2 more than its length
//	  name       its length
//	  params     the length of the names of its parameters, with commas between them
//
// Numbers are varints; strings are preceded by their length. An outline that does not unpack to
// the last byte is damaged; then the file is parsed again.

// outlineFormat must be incremented whenever the packed form, or the output of the outliners,
// changes; TestOutlineFormat notices most of that.
const outlineFormat = 2

// outlineHead is the length of the checksum.
const outlineHead = 4

// outlineKinds are the possible kinds of symbols.
var outlineKinds = []string{"func", "method", "type", "field", "var", "const", "heading"}

// outlineVersion identifies the program's version in outlines, because other versions may have
// other parsers.
var outlineVersion = sync.OnceValue(func() int64 {
	h := fnv.New64a()
	h.Write([]byte{outlineFormat})
	h.Write([]byte(runtime.Version()))
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if strings.Contains(m.Path, "tree-sitter") {
				h.Write([]byte(m.Path + m.Version + m.Sum))
			}
		}
	}
	return int64(h.Sum64())
})

// languageOf returns how a file of that name is parsed.
func languageOf(name string) string {
	base := strings.ToLower(path.Base(name))
	if ext := path.Ext(base); ext != "" && ext != base {
		return ext
	}
	return base
}

// packed packs an outline; false if that is not possible.
func packed(h history.Hash, name string, list []Symbol) ([]byte, bool) {
	var text, b []byte
	b = binary.AppendUvarint(b, uint64(len(list)))
	last := Symbol{}
	for _, s := range list {
		kind := slices.Index(outlineKinds, s.Kind)
		if kind < 0 || s.Line < 0 || s.EndLine < s.Line || s.EndLine > math.MaxInt32 || s.Path != name {
			return nil, false
		}
		b = append(b, byte(kind))
		b = binary.AppendVarint(b, int64(s.Line-last.Line))
		b = binary.AppendUvarint(b, uint64(s.EndLine-s.Line))
		switch s.Container {
		case "":
			b = append(b, 0)
		case last.Container:
			b = append(b, 1)
		default:
			b = binary.AppendUvarint(b, uint64(len(s.Container))+2)
			text = append(text, s.Container...)
		}
		b = binary.AppendUvarint(b, uint64(len(s.Name)))
		text = append(text, s.Name...)
		b = binary.AppendUvarint(b, uint64(len(s.params)))
		text = append(text, s.params...)
		last = s
	}
	out := make([]byte, outlineHead, 16+len(text)+len(b))
	for _, s := range []string{languageOf(name), string(text)} {
		out = binary.AppendUvarint(out, uint64(len(s)))
		out = append(out, s...)
	}
	out = append(out, b...)
	binary.LittleEndian.PutUint32(out, outlineSum(h, out[outlineHead:]))
	return out, true
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func outlineSum(h history.Hash, data []byte) uint32 {
	return crc32.Update(crc32.Checksum(h[:], castagnoli), castagnoli, data)
}

// unpacker reads a packed outline from the front.
type unpacker struct {
	data string
	bad  bool
}

func (u *unpacker) uvarint() int {
	var n uint64
	for i := 0; i < len(u.data) && i < 5; i++ {
		c := u.data[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			u.data = u.data[i+1:]
			return int(n)
		}
	}
	u.bad = true
	return 0
}

func (u *unpacker) varint() int {
	n := u.uvarint()
	return int(uint(n)>>1) ^ -(n & 1)
}

// cut removes and returns the first n bytes.
func (u *unpacker) cut(n int) string {
	if u.bad || n < 0 || n > len(u.data) {
		u.bad = true
		return ""
	}
	s := u.data[:n]
	u.data = u.data[n:]
	return s
}

// intact reports whether a packed outline belongs to a content, and is undamaged.
func intact(h history.Hash, data []byte) bool {
	return len(data) >= outlineHead && binary.LittleEndian.Uint32(data) == outlineSum(h, data[outlineHead:])
}

// keptOutline is an outline that is still packed.
type keptOutline struct {
	text, numbers string
	n             int
}

// opened opens the body of a packed outline of a file; false if it is damaged, or of a file
// that is parsed as another language.
func opened(name, body string) (k keptOutline, ok bool) {
	u := &unpacker{data: body}
	if u.cut(u.uvarint()) != languageOf(name) {
		return k, false
	}
	k.text = u.cut(u.uvarint())
	k.n = u.uvarint()
	k.numbers = u.data
	return k, !u.bad && k.n <= len(k.numbers)
}

// unpack fills in the rows of a file, whose text is k.text.
func (k keptOutline) unpack(out []row) bool {
	u := unpacker{data: k.numbers}
	var last row
	at := 0 // in the text
	for i := range out {
		kind := u.cut(1)
		if u.bad || int(kind[0]) >= len(outlineKinds) {
			return false
		}
		r := row{kind: kind[0], container: last.container, containerLen: last.containerLen}
		line := int(last.line) + u.varint()
		end := line + u.uvarint()
		switch n := u.uvarint(); n {
		case 0:
			r.containerLen = 0
		case 1:
		default:
			r.container, r.containerLen = uint32(at), uint32(n-2)
			at += n - 2
		}
		n := u.uvarint()
		r.name, r.nameLen = uint32(at), uint32(n)
		at += n
		n = u.uvarint()
		r.params, r.paramsLen = uint32(at), uint32(n)
		at += n
		if line < 0 || end > math.MaxInt32 || at > len(k.text) {
			return false
		}
		r.line, r.end = int32(line), int32(end)
		out[i], last = r, r
	}
	return !u.bad && u.data == "" && at == len(k.text)
}
