package link

import (
	"path"
	"strconv"
	"strings"

	"waferpair/engine/refactor/words"
)

// Dictation spells numbers and the names of files in words: "two hundred and twenty", "billing
// dot py". Each is one unit whose Text is what was meant.

var (
	ones = numbered(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen`, 0, 1)
	tens   = numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
	scales = map[string]int{"thousand": 1000, "million": 1_000_000}
)

func numbered(list string, from, step int) map[string]int {
	m := map[string]int{}
	for i, w := range strings.Fields(list) {
		m[w] = from + i*step
	}
	return m
}

// smallest is the first number that is one in a single word: "two" of something is no value.
const smallest = 13

// number finds a number in words.
func (p *pass) number(i int) (Unit, int) {
	if p.toks[i].kind != word {
		return Unit{}, 0
	}
	n, total, part, words := 0, 0, 0, 0
	if low := p.low(i); low == "a" && (p.low(i+1) == "hundred" || p.low(i+1) == "thousand" || p.low(i+1) == "million") {
		n, part = 1, 1
	}
	last := -1 // the size of the word before: twenty five is one number, five twenty is not
	for ; i+n < len(p.toks); n++ {
		w := p.low(i + n)
		v, one := ones[w]
		t, ten := tens[w]
		switch {
		case w == "hundred" && part > 0 && part < 100:
			part, last = part*100, 100
		case scales[w] > 0 && part > 0:
			total, part, last = total+part*scales[w], 0, 1000
		case ten && (last == -1 || last >= 100):
			part, last = part+t, 10
		case one && (last == -1 || last >= 100 || last == 10 && v < 10 && v > 0):
			part, last = part+v, 1
		case w == "and" && last >= 100 && (ones[p.low(i+n+1)] > 0 || tens[p.low(i+n+1)] > 0):
			continue
		default:
			return p.numeral(i, n, words, total+part)
		}
		words++
	}
	return p.numeral(i, n, words, total+part)
}

// numeral is the unit of a number of n tokens, with the digits behind a spoken point.
func (p *pass) numeral(i, n, words, value int) (Unit, int) {
	text := strconv.Itoa(value)
	if words > 0 && p.low(i+n) == "point" {
		digits := ""
		k := n + 1
		for ; ; k++ {
			v, ok := ones[p.low(i+k)]
			if !ok || v > 9 {
				break
			}
			digits += strconv.Itoa(v)
		}
		if digits != "" {
			return p.said(i, k, Literal, text+"."+digits), k
		}
	}
	if words == 0 || words == 1 && n == 1 && value < smallest && !p.isValue(i) {
		return Unit{}, 0
	}
	return p.said(i, n, Literal, text), n
}

// isValue reports whether the small number at token i is a value: "set the step to five".
func (p *pass) isValue(i int) bool {
	return i > 0 && before[p.low(i-1)] && (i+1 == len(p.toks) || p.toks[i+1].kind == sign)
}

// before are the words before a value.
var before = words.Set("to from than be is of default auf")

// fileName finds a file's name that is spelled with "dot".
func (p *pass) fileName(i int) (Unit, int) {
	for n := 1; n <= 3; n++ { // words of the name
		for k := range n {
			if i+k >= len(p.toks) || p.toks[i+k].kind != word {
				return Unit{}, 0
			}
		}
		if p.low(i+n) != "dot" {
			continue
		}
		ext, length := p.extension(i + n + 1)
		if length == 0 {
			return Unit{}, 0
		}
		var parts []string
		for k := range n {
			parts = append(parts, p.low(i+k))
		}
		for _, between := range []string{"", "_", "-"} {
			if found := p.table.files[strings.Join(parts, between)+ext]; len(found) > 0 {
				u := p.said(i, n+1+length, File, path.Base(found[0]))
				u.Files = found
				return u, n + 1 + length
			}
		}
		if n == 1 { // a file that is yet to be
			return p.said(i, n+1+length, File, parts[0]+ext), n + 1 + length
		}
	}
	return Unit{}, 0
}

// spokenExtensions are how the ends of files' names are said.
var spokenExtensions = map[string]string{"go": ".go", "py": ".py", "python": ".py", "p y": ".py",
	"ts": ".ts", "t s": ".ts", "tsx": ".tsx", "js": ".js", "j s": ".js", "jsx": ".jsx", "mjs": ".mjs", "java": ".java"}

func (p *pass) extension(i int) (string, int) {
	if ext := spokenExtensions[p.low(i)+" "+p.low(i+1)]; ext != "" {
		return ext, 2
	}
	if ext := spokenExtensions[p.low(i)]; ext != "" {
		return ext, 1
	}
	return "", 0
}

// said is a unit of n tokens that mean text.
func (p *pass) said(i, n int, kind Kind, text string) Unit {
	return Unit{From: p.toks[i].from, To: p.toks[i+n-1].to, Text: text, Kind: kind, Spoken: true}
}

// low is token i in lower case, "" behind the last.
func (p *pass) low(i int) string {
	if i >= len(p.toks) || p.toks[i].kind != word {
		return ""
	}
	return strings.ToLower(p.toks[i].text)
}
