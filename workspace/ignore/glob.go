package ignore

// glob is a compiled shell pattern with git's meaning of *, **, ?, [..] and \.
//
// Every element except the stars matches exactly one byte, so matching needs no recursion:
// on a mismatch it retries the nearest star, and if that one may not match more (a * never
// crosses a slash) the nearest **. Dropping the earlier stars is sound: a ** always starts
// right after a slash of the pattern, and what it may skip from an early place includes all
// that it may skip from a later one.
type glob struct {
	ops  []op
	fold bool // ASCII letters match in either case
	bad  bool // malformed: matches nothing, as in git
}

type opKind uint8

const (
	opByte      opKind = iota
	opAny              // ?
	opSet              // [..]
	opStar             // * in a path: anything without a slash
	opDeep             // ** : anything
	opDeepSlash        // **/ : nothing, or anything that ends in a slash
)

type op struct {
	kind opKind
	b    byte
	set  *set
}

// compileGlob compiles p. In a path (inPath), wildcards other than ** do not match a slash;
// otherwise the subject contains no slash, and * and ** are the same.
func compileGlob(p string, inPath, fold bool) glob {
	g := glob{fold: fold}
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '\\':
			if i+1 == len(p) {
				return glob{bad: true}
			}
			// Not folded, so that under ignorecase \A matches nothing: git's rule.
			g.ops = append(g.ops, op{kind: opByte, b: p[i+1]})
			i += 2
		case '?':
			g.ops = append(g.ops, op{kind: opAny})
			i++
		case '*':
			var o op
			o, i = compileStar(p, i, inPath)
			g.ops = append(g.ops, o)
		case '[':
			s, next, ok := compileSet(p, i+1, fold)
			if !ok {
				return glob{bad: true}
			}
			g.ops = append(g.ops, op{kind: opSet, set: s})
			i = next
		default:
			if fold {
				c = lower(c)
			}
			g.ops = append(g.ops, op{kind: opByte, b: c})
			i++
		}
	}
	return g
}

// compileStar compiles the run of stars at i. Two or more are a ** only between slashes (or
// the ends of the pattern); elsewhere they are one *.
func compileStar(p string, i int, inPath bool) (op, int) {
	end := i
	for end < len(p) && p[end] == '*' {
		end++
	}
	if !inPath {
		return op{kind: opDeep}, end
	}
	rest := p[end:]
	opens := i == 0 || p[i-1] == '/'
	switch {
	case end-i < 2 || !opens:
		return op{kind: opStar}, end
	case rest == "" || hasPrefix(rest, `\/`): // an escaped slash must be present
		return op{kind: opDeep}, end
	case rest[0] == '/':
		return op{kind: opDeepSlash}, end + 1
	}
	return op{kind: opStar}, end
}

// retry is a star that can match more text: op is the element after it, at is where the
// text for that element begins now.
type retry struct {
	op, at int
}

func (g *glob) match(s string) bool {
	if g.bad {
		return false
	}
	star, deep := retry{op: -1}, retry{op: -1}
	for o, i := 0, 0; ; {
		if o < len(g.ops) {
			switch kind := g.ops[o].kind; kind {
			case opStar:
				o++
				star = retry{o, i}
				continue
			case opDeep, opDeepSlash:
				o++
				deep, star = retry{o, i}, retry{op: -1}
				if o == len(g.ops) && kind == opDeep {
					return true
				}
				continue
			default:
				if i < len(s) && g.one(&g.ops[o], s[i]) {
					o++
					i++
					continue
				}
			}
		} else if i == len(s) {
			return true
		}
		var ok bool
		if o, i, ok = g.backtrack(s, &star, &deep); !ok {
			return false
		}
	}
}

// backtrack makes the nearest star match more, and returns where to continue.
func (g *glob) backtrack(s string, star, deep *retry) (o, i int, ok bool) {
	if star.op >= 0 && star.at < len(s) && s[star.at] != '/' {
		star.at++
		return star.op, star.at, true
	}
	if deep.op < 0 {
		return 0, 0, false
	}
	star.op = -1
	at := deep.at
	if g.ops[deep.op-1].kind == opDeepSlash {
		for at < len(s) && s[at] != '/' {
			at++
		}
	}
	if at >= len(s) {
		return 0, 0, false
	}
	deep.at = at + 1
	return deep.op, deep.at, true
}

// one reports whether the single-byte element o matches the byte c.
func (g *glob) one(o *op, c byte) bool {
	if g.fold {
		c = lower(c)
	}
	switch o.kind {
	case opByte:
		return o.b == c
	case opAny:
		return c != '/'
	default:
		return c != '/' && o.set.has(c)
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func hasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && s[:len(prefix)] == prefix
}
