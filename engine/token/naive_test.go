package token

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file has the slow, obvious versions: a matcher of the patterns as their trainers wrote them,
// and merging by looking at all neighbours by their texts.

// expressions are the patterns as llama.cpp has them, which takes the first alternative that
// matches; what none matches is a piece by itself.
var expressions = map[string][]string{
	"llama-bpe": {`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, `[^\r\n\p{L}\p{N}]?\p{L}+`, `\p{N}{1,3}`, ` ?[^\s\p{L}\p{N}]+[\r\n]*`,
		`\s*[\r\n]+`, `\s+(?!\S)`, `\s+`},
	"qwen2": {`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, `[^\r\n\p{L}\p{N}]?\p{L}+`, `\p{N}`,
		` ?[^\s\p{L}\p{N}]+[\r\n]*`, `\s*[\r\n]+`, `\s+(?!\S)`, `\s+`},
	"qwen35": {`(?i:'s|'t|'re|'ve|'m|'ll|'d)`, `[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+`, `\p{N}`,
		` ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*`, `\s*[\r\n]+`, `\s+(?!\S)`, `\s+`},
	"gpt-2": {`'s|'t|'re|'ve|'m|'ll|'d`, ` ?\p{L}+`, ` ?\p{N}+`, ` ?[^\s\p{L}\p{N}]+`, `\s+(?!\S)`, `\s+`},
	// before it, each digit was cut out
	"starcoder": {`'s|'t|'re|'ve|'m|'ll|'d`, ` ?\p{L}+`, ` ?\p{N}+`, ` ?[^\s\p{L}\p{N}]+`, `\s+(?!\S)`, `\s+`},
}

// naivePieces cuts a text by a pattern.
func naivePieces(name, text string) (list []string) {
	runes := []rune(text)
	if name == "starcoder" {
		for len(runes) > 0 {
			n := 0
			for n < len(runes) && !unicode.Is(unicode.N, runes[n]) {
				n++
			}
			list = append(list, naiveCut(name, runes[:n])...)
			if n < len(runes) {
				list = append(list, string(runes[n]))
				n++
			}
			runes = runes[n:]
		}
		return list
	}
	if name == "deepseek-coder" {
		list = []string{text}
		for _, e := range []string{`[\r\n]`, `\s?\p{L}+`, `\s?\p{P}+`, `[一-龥ࠀ-一가-퟿]+`, `\p{N}`} {
			var next []string
			for _, part := range list {
				next = append(next, naiveSplit(e, []rune(part))...)
			}
			list = next
		}
		return list
	}
	return naiveCut(name, runes)
}

// naiveSplit cuts out what matches an expression.
func naiveSplit(e string, runes []rune) (list []string) {
	begin := 0
	for at := 0; at < len(runes); {
		end := matchHere(e, runes, at, false)
		if end <= at {
			at++
			continue
		}
		if at > begin {
			list = append(list, string(runes[begin:at]))
		}
		list = append(list, string(runes[at:end]))
		begin, at = end, end
	}
	if begin < len(runes) {
		list = append(list, string(runes[begin:]))
	}
	return list
}

func naiveCut(name string, runes []rune) (list []string) {
	for at := 0; at < len(runes); {
		end := at + 1
		for _, e := range expressions[name] {
			if n := matchAny(e, runes, at); n > at {
				end = n
				break
			}
		}
		list = append(list, string(runes[at:end]))
		at = end
	}
	return list
}

// matchAny matches the alternatives of an expression; only those of contractions have several.
func matchAny(e string, text []rune, at int) int {
	fold := strings.HasPrefix(e, "(?i:")
	if fold {
		e = strings.TrimSuffix(strings.TrimPrefix(e, "(?i:"), ")")
	}
	for _, one := range strings.Split(e, "|") {
		if end := matchHere(one, text, at, fold); end >= 0 {
			return end
		}
	}
	return -1
}

// matchHere matches one expression at a place, and goes back where a repetition took too much.
func matchHere(e string, text []rune, at int, fold bool) int {
	if e == "" {
		return at
	}
	if e == `(?!\S)` {
		if at < len(text) && !unicode.IsSpace(text[at]) {
			return -1
		}
		return at
	}
	set, rest := cutAtom(e)
	least, most := 1, 1
	switch {
	case strings.HasPrefix(rest, "?"):
		least, rest = 0, rest[1:]
	case strings.HasPrefix(rest, "+"):
		most, rest = len(text), rest[1:]
	case strings.HasPrefix(rest, "*"):
		least, most, rest = 0, len(text), rest[1:]
	case strings.HasPrefix(rest, "{1,3}"):
		most, rest = 3, rest[5:]
	}
	n := 0
	for n < most && at+n < len(text) && inSet(set, text[at+n], fold) {
		n++
	}
	for ; n >= least; n-- {
		if end := matchHere(rest, text, at+n, fold); end >= 0 {
			return end
		}
	}
	return -1
}

// cutAtom cuts the first set off an expression: [...], \p{L}, \s or a character.
func cutAtom(e string) (set, rest string) {
	n := 1
	switch {
	case e[0] == '[':
		n = strings.IndexByte(e, ']') + 1
	case strings.HasPrefix(e, `\p{`):
		n = 5
	case e[0] == '\\':
		n = 2
	default:
		_, n = utf8.DecodeRuneInString(e)
	}
	return e[:n], e[n:]
}

func inSet(set string, r rune, fold bool) bool {
	switch {
	case set[0] == '[':
		set = set[1 : len(set)-1]
		not := strings.HasPrefix(set, "^")
		for set = strings.TrimPrefix(set, "^"); set != ""; {
			var one string
			one, set = cutAtom(set)
			if strings.HasPrefix(set, "-") {
				from, _ := utf8.DecodeRuneInString(one)
				to, n := utf8.DecodeRuneInString(set[1:])
				if set = set[1+n:]; r >= from && r <= to {
					return !not
				}
				continue
			}
			if inSet(one, r, fold) {
				return !not
			}
		}
		return not
	case set == `\s`:
		return unicode.IsSpace(r)
	case set == `\r`:
		return r == '\r'
	case set == `\n`:
		return r == '\n'
	case strings.HasPrefix(set, `\p{`):
		return unicode.Is(unicode.Categories[set[3:4]], r)
	}
	one, _ := utf8.DecodeRuneInString(set)
	return r == one || fold && r < 0x80 && unicode.ToLower(r) == one
}

// naive is a vocabulary as texts.
type naive struct {
	pattern  string // "": model llama
	whole    bool
	ids      map[string]int32 // by the texts of pieces
	special  map[string]int32 // control tokens
	defined  map[string]int32 // user-defined tokens
	merges   map[[2]string]int
	scores   map[string]float32
	bytes    [256]int32
	begin    int32 // none: no BOS
	sentence bool
}

func (n *naive) encode(text string, special bool) []int32 {
	var ids []int32
	if n.begin >= 0 {
		ids = append(ids, n.begin)
	}
	type part struct {
		text string
		id   int32
	}
	parts := []part{{text, none}}
	cuts := map[string]int32{}
	var names []string
	for name, id := range n.defined {
		cuts[name], names = id, append(names, name)
	}
	for name, id := range n.special {
		if special {
			cuts[name], names = id, append(names, name)
		}
	}
	sort.Slice(names, func(i, j int) bool {
		return len(names[i]) > len(names[j]) || len(names[i]) == len(names[j]) && cuts[names[i]] < cuts[names[j]]
	})
	for _, name := range names {
		var next []part
		for _, p := range parts {
			for p.id == none && strings.Contains(p.text, name) {
				before, after, _ := strings.Cut(p.text, name)
				next = append(next, part{before, none}, part{"", cuts[name]})
				p.text = after
			}
			next = append(next, p)
		}
		parts = next
	}
	first := true
	for _, p := range parts {
		switch {
		case p.id != none:
			ids, first = append(ids, p.id), true
		case p.text != "" && n.sentence:
			if first {
				p.text = " " + p.text
			}
			ids, first = append(ids, n.merge(strings.ReplaceAll(p.text, " ", "▁"))...), false
		case p.text != "":
			for _, piece := range naivePieces(n.pattern, strings.ToValidUTF8(p.text, "\ufffd")) {
				if id, ok := n.ids[piece]; ok && n.whole {
					ids = append(ids, id)
					continue
				}
				ids = append(ids, n.merge(piece)...)
			}
		}
	}
	return ids
}

// merge joins the best neighbours until none join.
func (n *naive) merge(piece string) (ids []int32) {
	var parts []string
	if n.sentence {
		for _, r := range piece {
			parts = append(parts, string(r))
		}
	} else {
		for i := range len(piece) {
			parts = append(parts, piece[i:i+1])
		}
	}
	for {
		best := -1
		for i := range len(parts) - 1 {
			if n.joins(parts, i) && (best < 0 || n.better(parts, i, best)) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		joined := parts[best] + parts[best+1]
		parts = append(append(append([]string(nil), parts[:best]...), joined), parts[best+2:]...)
	}
	for _, p := range parts {
		if id, ok := n.ids[p]; ok {
			ids = append(ids, id)
			continue
		}
		for _, b := range []byte(p) {
			ids = append(ids, n.bytes[b])
		}
	}
	return ids
}

func (n *naive) joins(parts []string, i int) bool {
	if n.sentence {
		_, ok := n.ids[parts[i]+parts[i+1]]
		return ok
	}
	_, ok := n.merges[[2]string{parts[i], parts[i+1]}]
	return ok
}

func (n *naive) better(parts []string, i, than int) bool {
	if n.sentence {
		return n.scores[parts[i]+parts[i+1]] > n.scores[parts[than]+parts[than+1]]
	}
	return n.merges[[2]string{parts[i], parts[i+1]}] < n.merges[[2]string{parts[than], parts[than+1]}]
}

func (n *naive) String() string { return fmt.Sprintf("%s %v", n.pattern, n.sentence) }
