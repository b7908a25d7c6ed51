package linear

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"waferpair/engine/spark/link"
)

// Words are what the model sees of the units of a request: lower-case words and signs, and
// for a mention its kind in angle brackets.
func Words(units []link.Unit, vocabulary map[string]bool) []string {
	out := make([]string, len(units))
	for i, u := range units {
		switch u.Kind {
		case link.Word:
			w := strings.ToLower(u.Text)
			if !vocabulary[w] {
				w = "<word>"
			}
			out[i] = w
		case link.Sign:
			out[i] = u.Text
		case link.Func, link.Method:
			out[i] = "<func>"
		case link.Pointer:
			out[i] = "<pointer>"
			if u.Noun != "" {
				out[i] = "<pointer " + u.Noun + ">"
			}
		default:
			out[i] = "<" + string(u.Kind) + ">"
		}
	}
	return out
}

// hash is FNV-1a, with the parts kept apart.
func hash(parts ...string) uint32 {
	h := uint32(2166136261)
	for _, s := range parts {
		for i := range len(s) {
			h = (h ^ uint32(s[i])) * 16777619
		}
		h = (h ^ 0xff) * 16777619
	}
	return h
}

// longest bounds the units of a request that the model looks at.
const longest = 120

// OpFeatures are the hashes of a request's features for the choice of an operation.
func OpFeatures(words []string, units []link.Unit) []uint32 {
	n := min(len(words), longest)
	out := make([]uint32, 0, 12*n+8)
	add := func(parts ...string) { out = append(out, hash(parts...)) }
	add("bias")
	at := func(i int) string {
		switch {
		case i < 0:
			return "<s>"
		case i >= n:
			return "</s>"
		}
		return words[i]
	}
	for i := -1; i < n; i++ {
		add("2", at(i), at(i+1))
		add("3", at(i), at(i+1), at(i+2))
		if i < 0 {
			continue
		}
		add("1", at(i))
		add("gap", at(i), at(i+2))
		add("gap2", at(i), at(i+3))
	}
	content, mentions := contentOf(words[:n])
	for i, w := range content {
		if i+1 < len(content) {
			add("c2", w, content[i+1])
		}
		if i < 2 {
			add("first", strconv.Itoa(i), w)
		}
	}
	add("kinds", strings.Join(mentions, ""))
	for i := range n {
		if units[i].Kind == link.Word {
			letters(strings.ToLower(units[i].Text), add)
		}
	}
	return out
}

// contentOf are the words without articles and signs, and the mentions.
func contentOf(words []string) (content, mentions []string) {
	for _, w := range words {
		switch {
		case strings.HasPrefix(w, "<"):
			mentions = append(mentions, w)
			content = append(content, w)
		case len(w) > 2 || w == "to" || w == "in" || w == "of":
			if w != "the" && w != "and" && w != "please" {
				content = append(content, w)
			}
		}
	}
	return content, mentions
}

// letters adds the runs of four letters within a word, so that a misspelled one is still like
// itself.
func letters(w string, add func(...string)) {
	if utf8.RuneCountInString(w) < 4 {
		return
	}
	w = "^" + w + "$"
	for i := 0; i+4 <= len(w); i++ {
		add("l", w[i:i+4])
	}
}

// SlotFeatures are the hashes of the features of unit i, without the operation and the label.
func SlotFeatures(words []string, units []link.Unit, i int) []uint32 {
	at := func(k int) string {
		switch {
		case k < 0:
			return "<s>"
		case k >= len(words):
			return "</s>"
		}
		return words[k]
	}
	u := units[i]
	w, p, q, n, m := at(i), at(i-1), at(i-2), at(i+1), at(i+2)
	out := []uint32{hash("w", w), hash("p", p), hash("n", n), hash("wp", w, p), hash("wn", w, n), hash("pn", p, n),
		hash("pq", p, q), hash("nm", n, m), hash("wpq", w, p, q), hash("wnm", w, n, m), hash("pwn", p, w, n)}
	same, mentions, rest := 0, 0, 0
	for k, v := range words {
		if !isMention(v) {
			continue
		}
		if k < i {
			mentions++
		}
		if k < i && v == w {
			same++
		}
		if k > i {
			rest++
		}
	}
	shape := shapeOf(u)
	out = append(out, hash("#", w, count(same)), hash("m", count(mentions), count(rest)),
		hash("mk", w, count(mentions), count(rest)), hash("s", shape), hash("sp", shape, p), hash("sn", shape, n),
		hash("match", strconv.Itoa(int(u.Match)), w))
	near := "" // the nearest preposition or sign before the unit
	for k := i - 1; k >= 0 && k > i-5; k-- {
		if leading[words[k]] {
			near = words[k]
			break
		}
	}
	out = append(out, hash("lead", near, shape), hash("leadw", near, w))
	if i < 2 || i > len(words)-3 {
		out = append(out, hash("edge", strconv.Itoa(min(i, 2)), strconv.Itoa(min(len(words)-i, 3)), shape))
	}
	return out
}

var leading = map[string]bool{}

func init() {
	for w := range strings.FieldsSeq("to from in of into for with as called named by at on after before default = : -> => → instead called über aus in von zu nach mit für") {
		leading[w] = true
	}
}

func isMention(w string) bool { return len(w) > 2 && w[0] == '<' }

func count(n int) string { return strconv.Itoa(min(n, 3)) }

// shapeOf is what a unit looks like, beyond its kind.
func shapeOf(u link.Unit) string {
	switch {
	case u.Kind == link.Word && link.IsBuiltinType(u.Text):
		return "type?"
	case u.Kind == link.Word && u.Match == link.Perhaps:
		return "symbol?"
	case u.Kind == link.Word && len(u.Text) == 1:
		return "letter"
	case u.Kind == link.New && strings.ContainsAny(u.Text, "."):
		return "dotted"
	}
	return string(u.Kind)
}
