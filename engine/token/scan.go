package token

import (
	"sort"
	"strings"
)

// pattern is how a vocabulary of model gpt2 cuts text into pieces, by a regular expression of
// its trainer. The expressions are scanned by hand: their look-ahead is not in Go's regexp.
type pattern struct {
	next scanner
	// whole: a piece that is a token is that token, whatever its merges would make of it
	whole bool
	bos   bool // a BOS token comes first unless the file says otherwise
}

// scanner returns the end of the piece that begins at a place in the text. The text is what
// repaired returns; the piece has at least one character.
type scanner func(text string, at int) int

// patterns are the patterns by their names in tokenizer.ggml.pre. llama.cpp has more (the list is
// in llm_tokenizer_bpe and in load); those here are of models that can run, and those that cost
// nothing beside them.
var patterns = func() map[string]pattern {
	list := map[string]pattern{}
	for names, p := range map[string]pattern{
		"llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2": {next: scanLlama3, whole: true, bos: true},
		"smaug-bpe dbrx": {next: scanLlama3},
		"qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan grok-2": {next: scanQwen2},
		"qwen35": {next: scanQwen35},
		"gpt-2 phi-2 mpt olmo jais trillion gigachat a.x-4.0 mellum exaone4":    {next: scanGPT2},
		"starcoder smollm refact command-r codeshell exaone minerva-7b mellum2": {next: scanStarcoder},
		"deepseek-coder": {next: scanDeepSeek},
	} {
		for name := range strings.FieldsSeq(names) {
			list[name] = p
		}
	}
	return list
}()

// patternNames lists the patterns for error messages.
func patternNames() string {
	list := make([]string, 0, len(patterns))
	for name := range patterns {
		list = append(list, name)
	}
	sort.Strings(list)
	return strings.Join(list, ", ")
}

// classAt returns the class and the size of the character at a place, or 0, 0 at the end.
func classAt(text string, at int) (class, int) {
	if at >= len(text) {
		return 0, 0
	}
	if b := text[at]; b < 0x80 {
		return asciiClasses[b], 1
	}
	r, n := decode(text[at:])
	return classes().of(r), n
}

// The patterns of Llama 3 and of Qwen differ in the number of digits and in whether a mark is a
// letter (W):
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?W+ | \p{N}{1,3} or \p{N}
//	 | ?[^\sW\p{N}]+[\r\n]* | \s*[\r\n]+ | \s+(?!\S) | \s+
func scanLlama3(text string, at int) int { return scanWords(text, at, letter, 3) }
func scanQwen2(text string, at int) int  { return scanWords(text, at, letter, 1) }
func scanQwen35(text string, at int) int { return scanWords(text, at, letter|mark, 1) }

func scanWords(text string, at int, word class, digits int) int {
	if n := contraction(text[at:], true); n > 0 {
		return at + n
	}
	c, n := classAt(text, at)
	switch {
	case c&word != 0:
		return skip(text, at+n, word)
	case c&number != 0:
		at += n
		for range digits - 1 {
			c, n := classAt(text, at)
			if c&number == 0 {
				break
			}
			at += n
		}
		return at
	case c&newline != 0:
		return scanSpaces(text, at, true)
	}
	following, more := classAt(text, at+n)
	switch {
	case following&word != 0:
		return skip(text, at+n+more, word)
	case c&space == 0:
		return skip(text, skipOthers(text, at+n, word), newline)
	case text[at] == ' ' && more > 0 && following&(word|number|space) == 0:
		return skip(text, skipOthers(text, at+n+more, word), newline)
	}
	return scanSpaces(text, at, true)
}

// The pattern of GPT-2:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func scanGPT2(text string, at int) int {
	if n := contraction(text[at:], false); n > 0 {
		return at + n
	}
	first := at
	if text[at] == ' ' {
		first++
	}
	c, n := classAt(text, first)
	switch {
	case c&letter != 0:
		return skip(text, first+n, letter)
	case c&number != 0:
		return skip(text, first+n, number)
	case n > 0 && c&space == 0:
		return skipOthers(text, first+n, letter)
	}
	return scanSpaces(text, at, false)
}

// StarCoder's pattern cuts every digit out first, then uses GPT-2's between them: a space is
// never joined with a digit, and spaces before a digit are at the end of their text.
func scanStarcoder(text string, at int) int {
	c, n := classAt(text, at)
	if c&number != 0 {
		return at + n
	}
	if c&space != 0 {
		end := skip(text, at, space)
		if c, _ := classAt(text, end); c&number != 0 {
			return end
		}
	}
	return scanGPT2(text, at)
}

// DeepSeek-Coder's expressions cut one after the other, each what the ones before it left:
//
//	[\r\n]   \s?\p{L}+   \s?\p{P}+   [一-龥ࠀ-一가-퟿]+   \p{N}
func scanDeepSeek(text string, at int) int {
	c, n := classAt(text, at)
	block := asian(text, at)
	if c&(newline|number) != 0 {
		return at + n
	}
	end, run, more := at+n, c, 0
	if c&space != 0 {
		if run, more = classAt(text, end); more > 0 && asian(text, end) != block {
			return end
		}
	}
	if run &= letter | punctuation; run == 0 {
		return skipRest(text, end, block)
	}
	for end += more; end < len(text); end += n {
		if c, n = classAt(text, end); c&run == 0 || asian(text, end) != block {
			break
		}
	}
	return end
}

// skipRest returns the end of the characters that neither begin a word or punctuation, nor are cut out.
func skipRest(text string, at int, block bool) int {
	for {
		c, n := classAt(text, at)
		if n == 0 || c&(newline|number|letter|punctuation) != 0 || asian(text, at) != block {
			return at
		}
		if following, _ := classAt(text, at+n); c&space != 0 && following&(letter|punctuation) != 0 {
			return at
		}
		at += n
	}
}

// asian reports whether the character at a place is in DeepSeek's block of Asian letters.
func asian(text string, at int) bool {
	if text[at] < 0xE0 { // below U+0800
		return false
	}
	r, _ := decode(text[at:])
	return r <= 0x9FA5 || r >= 0xAC00 && r <= 0xD7FF
}

// skip returns the end of the characters of a class from a place on.
func skip(text string, at int, of class) int {
	for at < len(text) {
		if b := text[at]; b < 0x80 {
			if asciiClasses[b]&of == 0 {
				return at
			}
			at++
			continue
		}
		c, n := classAt(text, at)
		if c&of == 0 {
			return at
		}
		at += n
	}
	return at
}

// skipOthers returns the end of what is neither word, number nor space.
func skipOthers(text string, at int, word class) int {
	for {
		c, n := classAt(text, at)
		if n == 0 || c&(word|number|space) != 0 {
			return at
		}
		at += n
	}
}

// scanSpaces returns the end of a piece of spaces: \s*[\r\n]+ where lines matter, otherwise all of
// them at the end of the text, otherwise all but the last one, which may begin a word.
func scanSpaces(text string, at int, lines bool) int {
	end, last, line := at, at, 0
	for {
		c, n := classAt(text, end)
		if c&space == 0 {
			break
		}
		last, end = end, end+n
		if c&newline != 0 {
			line = end
		}
	}
	switch {
	case lines && line > 0:
		return line
	case end < len(text) && last > at:
		return last
	}
	return end
}

// contraction returns the length of 's, 't, 'm, 'd, 're, 've or 'll at the beginning of a text.
func contraction(text string, anyCase bool) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	lower := func(i int) byte {
		if b := text[i]; anyCase && b >= 'A' && b <= 'Z' {
			return b + 'a' - 'A'
		}
		return text[i]
	}
	switch lower(1) {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if len(text) > 2 && lower(2) == 'e' {
			return 3
		}
	case 'l':
		if len(text) > 2 && lower(2) == 'l' {
			return 3
		}
	}
	return 0
}
