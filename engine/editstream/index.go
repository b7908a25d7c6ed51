package editstream

import (
	"hash/maphash"
	"sort"

	"waferpair/workspace/text"
)

var seed = maphash.MakeSeed()

// rollBase is the base of the polynomial over line hashes, modulo 2^64. A collision cannot
// misplace a hunk: lines are compared before a place is used.
const rollBase = 0x9E3779B97F4A7C15

// lineAt is a line of the indexed bytes: content, then its line break.
type lineAt struct{ start, end, next int32 }

// index has the lines of a stretch of a file. The rest, which only a search needs, is
// computed on first use, in time linear in the stretch:
//
//	hash[level]  of each line
//	roll[level]  prefix hashes: any run of lines compares with a pattern in O(1)
//	at           loose line hash -> the lines that have it, ascending
type index struct {
	enc     encoding
	str     string
	from    text.Byte // where str begins in the file's base text
	lines   []lineAt
	hash    [levels][]uint64
	roll    [levels][]uint64
	pow     []uint64
	at      map[uint64][]int32
	lookups int  // before at was made
	ends    int8 // whether all lines end alike: 0 unknown, 1 yes, 2 no
}

func newIndex(enc encoding, t text.Text, from, to text.Byte) *index {
	x := &index{enc: enc, str: t.Slice(from, to).String(), from: from}
	pos := 0
	if from == 0 {
		pos = enc.bom(x.str)
	}
	x.split(pos, len(x.str))
	return x
}

// split appends the lines of str[pos:to].
func (x *index) split(pos, to int) {
	for pos < to {
		end, next := x.enc.line(x.str, pos)
		x.lines = append(x.lines, lineAt{int32(pos), int32(end), int32(next)})
		pos = next
	}
}

// renewIndex is newIndex for a file that was indexed before and has changed little since:
// it reuses the lines, and their hashes, that both have at their start and end.
func renewIndex(was *index, t text.Text, to text.Byte) *index {
	x := &index{enc: was.enc, str: t.Slice(0, to).String()}
	if (len(x.str)-len(was.str))%2 != 0 && x.enc.wide() {
		return newIndex(x.enc, t, 0, to)
	}
	head := commonPrefix(was.str, x.str)
	tail := commonSuffix(was.str[head:], x.str[head:])
	n := sort.Search(len(was.lines), func(i int) bool { return int(was.lines[i].next) > head })
	for n > 0 && was.lines[n-1].end == was.lines[n-1].next {
		n-- // a last line without a line break may be longer now
	}
	m := sort.Search(len(was.lines), func(i int) bool {
		return int(was.lines[i].start) >= len(was.str)-tail+x.enc.width()
	})
	m = max(m, n)
	shift := int32(len(x.str) - len(was.str))
	pos, to0 := x.enc.bom(x.str), len(x.str)
	if n > 0 {
		pos = int(was.lines[n-1].next)
	}
	if m < len(was.lines) {
		to0 = int(was.lines[m].start + shift)
	}
	x.lines = append(make([]lineAt, 0, len(was.lines)+16), was.lines[:n]...)
	x.split(pos, to0)
	middle := len(x.lines)
	for _, l := range was.lines[m:] {
		x.lines = append(x.lines, lineAt{l.start + shift, l.end + shift, l.next + shift})
	}
	for l := range x.hash {
		x.takeHashes(was, level(l), n, middle, m)
	}
	return x
}

// takeHashes copies the hashes of was for lines [0, n) and from line m on, which is line
// middle here, and computes those between.
func (x *index) takeHashes(was *index, l level, n, middle, m int) {
	if was.hash[l] == nil {
		return
	}
	h := append(make([]uint64, 0, len(x.lines)), was.hash[l][:n]...)
	for i := n; i < middle; i++ {
		h = append(h, lineHash(x.text(i), l))
	}
	x.hash[l] = append(h, was.hash[l][m:]...)
}

// step is how much commonPrefix and commonSuffix compare at once.
const step = 1024

func commonPrefix(a, b string) int {
	n := 0
	for n+step <= min(len(a), len(b)) && a[n:n+step] == b[n:n+step] {
		n += step
	}
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) int {
	n := 0
	for n+step <= min(len(a), len(b)) && a[len(a)-n-step:len(a)-n] == b[len(b)-n-step:len(b)-n] {
		n += step
	}
	for n < min(len(a), len(b)) && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}

// text returns the decoded content of line i.
func (x *index) text(i int) string {
	l := x.lines[i]
	return x.enc.decode(x.str[l.start:l.end])
}

// offset returns where line i begins in the base text; line len(lines) is the end.
func (x *index) offset(i int) text.Byte {
	if i < len(x.lines) {
		return x.from + text.Byte(x.lines[i].start)
	}
	return x.from + text.Byte(len(x.str))
}

// raw returns the bytes of lines [i, j).
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

// hashes returns the line hashes of level l.
func (x *index) hashes(l level) []uint64 {
	if x.hash[l] == nil {
		x.hash[l] = make([]uint64, len(x.lines))
		for i := range x.lines {
			x.hash[l][i] = lineHash(x.text(i), l)
		}
	}
	return x.hash[l]
}

// rolls returns the prefix hashes of level l.
func (x *index) rolls(l level) []uint64 {
	if x.roll[l] == nil {
		sum := make([]uint64, len(x.lines)+1)
		for i, h := range x.hashes(l) {
			sum[i+1] = sum[i]*rollBase + h
		}
		x.roll[l] = sum
	}
	return x.roll[l]
}

// power returns rollBase^n.
func (x *index) power(n int) uint64 {
	if len(x.pow) == 0 {
		x.pow = []uint64{1}
	}
	for len(x.pow) <= n {
		x.pow = append(x.pow, x.pow[len(x.pow)-1]*rollBase)
	}
	return x.pow[n]
}

// run returns the hash of lines [i, i+n) at level l.
func (x *index) run(i, n int, l level) uint64 {
	sum := x.rolls(l)
	return sum[i+n] - sum[i]*x.power(n)
}

// lookupsBeforeMap is the number of lookups that cost less than a map of all lines.
const lookupsBeforeMap = 4

// lookup returns the lines from start on that are loosely equal to line.
func (x *index) lookup(line string, start int) []int32 {
	h := lineHash(line, loose)
	if x.lookups++; x.lookups <= lookupsBeforeMap {
		var out []int32
		for i, have := range x.hashes(loose)[min(start, len(x.lines)):] {
			if have == h {
				out = append(out, int32(start+i))
			}
		}
		return out
	}
	if x.at == nil {
		x.at = make(map[uint64][]int32, len(x.lines))
		for i, h := range x.hashes(loose) {
			x.at[h] = append(x.at[h], int32(i))
		}
	}
	all := x.at[h]
	return all[sort.Search(len(all), func(k int) bool { return int(all[k]) >= start }):]
}
