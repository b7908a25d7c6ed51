package query

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/alecthomas/chroma/v2"
)

// maxColoured bounds the size of coloured texts: larger ones would take too long.
const maxColoured = 1 << 20

// Spans colours a text that does not change: a diff, a past version, code in a conversation. name
// is a path or a language; a text of an unknown language has no spans. It caches the result for
// the next time.
func (c *colours) Spans(ctx context.Context, name string, content []byte) ([]Span, error) {
	lexer := c.lexer(name)
	if lexer == nil || len(content) > maxColoured {
		return nil, nil
	}
	key := sha256.Sum256(append([]byte(lexer.Config().Name+"\x00"), content...))
	if spans, ok := c.get(key); ok {
		return spans, nil
	}
	spans, err := colour(ctx, lexer, valid(content))
	if err != nil {
		return nil, fmt.Errorf("colour %s: %w", name, err)
	}
	c.put(key, spans)
	return spans, nil
}

// colour runs a lexer over a text.
func colour(ctx context.Context, lexer chroma.Lexer, s string) ([]Span, error) {
	// Line ends stay as they are: the offsets are those of this text.
	tokens, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root", EnsureLF: false}, s)
	if err != nil {
		return nil, err
	}
	length, at := unitsOf(s), int32(0)
	var out []Span
	for t := tokens(); t != chroma.EOF; t = tokens() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(length, at+unitsOf(t.Value)) // some lexers add a line break at the end
		if class := classOf(t.Type); class != "" && end > at {
			if n := len(out) - 1; n >= 0 && out[n].To == at && out[n].Class == class {
				out[n].To = end
			} else {
				out = append(out, Span{at, end, class})
			}
		}
		at = end
	}
	return out, nil
}

// unitsOf returns the length of valid UTF-8 in UTF-16 units.
func unitsOf(s string) (n int32) {
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

func classOf(t chroma.TokenType) string {
	switch t {
	case chroma.KeywordType, chroma.NameClass, chroma.NameException, chroma.NameNamespace:
		return "typ"
	case chroma.NameTag:
		return "tag"
	case chroma.NameAttribute, chroma.NameDecorator, chroma.NameProperty:
		return "att"
	case chroma.NameConstant:
		return "var"
	case chroma.GenericHeading, chroma.GenericSubheading, chroma.NameKeyword:
		return "kw"
	}
	switch t.SubCategory() {
	case chroma.LiteralString:
		return "str"
	case chroma.LiteralNumber:
		return "num"
	case chroma.NameFunction, chroma.NameBuiltin:
		return "fn"
	case chroma.NameVariable:
		return "var"
	}
	switch t.Category() {
	case chroma.Keyword:
		return "kw"
	case chroma.Comment:
		return "com"
	case chroma.Operator:
		return "op"
	case chroma.Punctuation:
		return "pun"
	}
	return ""
}
