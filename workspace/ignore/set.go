package ignore

import "strings"

// set is the bytes that a bracket expression matches.
type set [4]uint64

func (s *set) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s *set) add(c byte)      { s[c>>6] |= 1 << (c & 63) }

func (s *set) addRange(lo, hi byte) {
	for c := int(lo); c <= int(hi); c++ {
		s.add(byte(c))
	}
}

// compileSet compiles the bracket expression whose first byte after the [ is p[i], and
// returns the index after its ]. With fold, the subject is in lower case; a range and
// [:upper:] then match a letter in either case, while single letters keep theirs: git's
// rule.
func compileSet(p string, i int, fold bool) (_ *set, next int, ok bool) {
	s := new(set)
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	prev := -1 // the byte that a range may start from
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0, false
		}
		c := p[i]
		if c == ']' && !first {
			break
		}
		switch {
		case c == '\\':
			if i++; i >= len(p) {
				return nil, 0, false
			}
			s.add(p[i])
			prev = int(p[i])
		case c == '-' && prev >= 0 && i+1 < len(p) && p[i+1] != ']':
			if i++; p[i] == '\\' {
				if i++; i >= len(p) {
					return nil, 0, false
				}
			}
			s.addFolded(byte(prev), p[i], fold)
			prev = -1
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			end := strings.IndexByte(p[i+2:], ']')
			if end < 0 {
				return nil, 0, false
			}
			name := p[i+2 : i+2+end]
			if !strings.HasSuffix(name, ":") {
				s.add('[')
				prev = '['
				break
			}
			in, known := classes[name[:len(name)-1]]
			if !known {
				return nil, 0, false
			}
			s.addClass(in)
			if fold && name == "upper:" {
				s.addRange('a', 'z')
			}
			i += 2 + end
			prev = -1
		default:
			s.add(c)
			prev = int(c)
		}
		i++
	}
	if negated {
		for k := range s {
			s[k] = ^s[k]
		}
	}
	return s, i + 1, true
}

// addFolded adds a range, and with fold also the lower case of its capitals.
func (s *set) addFolded(lo, hi byte, fold bool) {
	s.addRange(lo, hi)
	if !fold {
		return
	}
	for c := max('A', lo); c <= min('Z', hi); c++ {
		s.add(lower(c))
	}
}

func (s *set) addClass(in func(byte) bool) {
	for c := 0; c < 256; c++ {
		if in(byte(c)) {
			s.add(byte(c))
		}
	}
}

// The named classes, ASCII only and with git's narrow definition of white space.
var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return isPrint(c) && c != ' ' },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print":  isPrint,
	"punct":  func(c byte) bool { return isPrint(c) && c != ' ' && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'f' },
}

func isAlpha(c byte) bool { return 'a' <= lower(c) && lower(c) <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isPrint(c byte) bool { return ' ' <= c && c <= '~' }
