package editstream

import (
	"hash/maphash"
	"sort"

	"waferpair/workspace/text"
)

var seed = maphash.MakeSeed()

// rollBase is the base of the polynomial over line hashes, modulo 2^64. A
// collision cannot misplace a hunk: a place is compared line by line before use.
const rollBase = 0x9E3779B97F4A7C15

// lineAt is a line of the indexed bytes: content, then its line break.
type lineAt struct{ start, end, next int32 }

// index knows the lines of a stretch of a file. What a search needs beyond the
// line table is made when it is first asked for, in time linear in the stretch:
//
//	roll[level]  prefix hashes: any run of lines compares with a pattern in O(1)
//	at           loose line hash -> the lines that have it, ascending
type index struct {
	enc   encoding
	str   string
	from  text.Byte // where str begins in the file's base text
	lines []lineAt
	roll  [levels][]uint64
	pow   []uint64
	at    map[uint64][]int32
}

func newIndex(enc encoding, t text.Text, from, to text.Byte) *index {
	x := &index{enc: enc, str: t.Slice(from, to).String(), from: from}
	pos := 0
	if from == 0 {
		pos = enc.bom(x.str)
	}
	for pos < len(x.str) {
		end, next := enc.line(x.str, pos)
		x.lines = append(x.lines, lineAt{int32(pos), int32(end), int32(next)})
		pos = next
	}
	return x
}

// text is the decoded content of line i.
func (x *index) text(i int) string {
	l := x.lines[i]
	return x.enc.decode(x.str[l.start:l.end])
}

// offset is where line i begins in the base text; line len(lines) is the end.
func (x *index) offset(i int) text.Byte {
	if i < len(x.lines) {
		return x.from + text.Byte(x.lines[i].start)
	}
	return x.from + text.Byte(len(x.str))
}

// raw is the bytes of lines [i, j).
func (x *index) raw(i, j int) string { return x.str[x.offset(i)-x.from : x.offset(j)-x.from] }

// openEnd reports whether the last line has no line break.
func (x *index) openEnd() bool {
	n := len(x.lines)
	return n > 0 && x.lines[n-1].end == x.lines[n-1].next
}

// same reports whether line i equals want at level l.
func (x *index) same(i int, want string, l level) bool {
	return i < len(x.lines) && normal(x.text(i), l) == normal(want, l)
}

func lineHash(line string, l level) uint64 { return maphash.String(seed, normal(line, l)) }

// rolls makes the prefix hashes of level l.
func (x *index) rolls(l level) []uint64 {
	if x.roll[l] == nil {
		sum := make([]uint64, len(x.lines)+1)
		for i := range x.lines {
			sum[i+1] = sum[i]*rollBase + lineHash(x.text(i), l)
		}
		x.roll[l] = sum
	}
	return x.roll[l]
}

// power is rollBase^n.
func (x *index) power(n int) uint64 {
	if len(x.pow) == 0 {
		x.pow = []uint64{1}
	}
	for len(x.pow) <= n {
		x.pow = append(x.pow, x.pow[len(x.pow)-1]*rollBase)
	}
	return x.pow[n]
}

// run is the hash of lines [i, i+n) at level l.
func (x *index) run(i, n int, l level) uint64 {
	sum := x.rolls(l)
	return sum[i+n] - sum[i]*x.power(n)
}

// lookup gives the lines from start on that are loosely equal to line.
func (x *index) lookup(line string, start int) []int32 {
	if x.at == nil {
		x.at = make(map[uint64][]int32, len(x.lines))
		for i := range x.lines {
			h := lineHash(x.text(i), loose)
			x.at[h] = append(x.at[h], int32(i))
		}
	}
	all := x.at[lineHash(line, loose)]
	return all[sort.Search(len(all), func(k int) bool { return int(all[k]) >= start }):]
}
