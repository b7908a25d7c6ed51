package ignore

import "strings"

// parseConfig parses git's configuration syntax and calls set for every variable in order:
// section and key in lower case, sub as written. It stops at the first malformed line;
// everything before it counts.
func parseConfig(content string, set func(section, sub, key, value string, hasValue bool)) {
	p := configParser{s: strings.TrimPrefix(content, "\ufeff")}
	p.s = strings.ReplaceAll(p.s, "\r\n", "\n")
	for p.skipBlank() {
		if p.s[p.i] == '[' {
			if !p.header() {
				return
			}
			continue
		}
		key, value, hasValue, ok := p.variable()
		if !ok {
			return
		}
		set(p.section, p.sub, key, value, hasValue)
	}
}

type configParser struct {
	s            string
	i            int
	section, sub string
}

// skipBlank skips white space and comments. It returns false at the end.
func (p *configParser) skipBlank() bool {
	for ; p.i < len(p.s); p.i++ {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r', '\v', '\f':
		case '#', ';':
			p.skipLine()
		default:
			return true
		}
	}
	return false
}

// skipLine skips to the newline or the end.
func (p *configParser) skipLine() {
	for p.i+1 < len(p.s) && p.s[p.i] != '\n' {
		p.i++
	}
}

// header parses [section], [section "sub"] or the old [section.sub].
func (p *configParser) header() bool {
	p.i++ // the [
	start := p.i
	for p.i < len(p.s) && (isKeyByte(p.s[p.i]) || p.s[p.i] == '.') {
		p.i++
	}
	name := strings.ToLower(p.s[start:p.i])
	p.section, p.sub, _ = strings.Cut(name, ".")
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
	if p.i < len(p.s) && p.s[p.i] == '"' && !p.quotedSub() {
		return false
	}
	if p.i >= len(p.s) || p.s[p.i] != ']' {
		return false
	}
	p.i++
	return true
}

func (p *configParser) quotedSub() bool {
	var sub strings.Builder
	for p.i++; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c == '"':
			p.i++
			p.sub = sub.String()
			return true
		case c == '\n':
			return false
		case c == '\\' && p.i+1 < len(p.s):
			p.i++
			c = p.s[p.i]
		}
		sub.WriteByte(c)
	}
	return false
}

// variable parses "key" or "key = value".
func (p *configParser) variable() (key, value string, hasValue, ok bool) {
	start := p.i
	for p.i < len(p.s) && isKeyByte(p.s[p.i]) {
		p.i++
	}
	key = strings.ToLower(p.s[start:p.i])
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
	if key == "" {
		return "", "", false, false
	}
	if p.i >= len(p.s) || p.s[p.i] == '\n' {
		return key, "", false, true
	}
	if p.s[p.i] != '=' {
		return "", "", false, false
	}
	p.i++
	value, ok = p.value()
	return key, value, true, ok
}

// value parses up to the end of the line: quotes may enclose any part of it, a backslash
// continues the line, and unquoted spaces at both ends are dropped.
func (p *configParser) value() (string, bool) {
	var v strings.Builder
	keep := 0 // length up to the last byte that is not an unquoted space
	quoted := false
	for ; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c == '\n':
			return v.String()[:keep], !quoted
		case c == '"':
			quoted = !quoted
			keep = v.Len()
			continue
		case c == '\\':
			p.i++
			plain, isByte, ok := p.escape()
			if !ok {
				return "", false
			}
			if !isByte {
				continue
			}
			c = plain
		case quoted:
		case c == '#' || c == ';':
			p.skipLine()
			return v.String()[:keep], true
		case c == ' ' || c == '\t':
			if v.Len() > 0 {
				v.WriteByte(c)
			}
			continue
		}
		v.WriteByte(c)
		keep = v.Len()
	}
	return v.String()[:keep], !quoted
}

// escape parses the character after a backslash; isByte is false for a continued line.
func (p *configParser) escape() (c byte, isByte, ok bool) {
	if p.i >= len(p.s) {
		return 0, false, false
	}
	switch p.s[p.i] {
	case '\n':
		return 0, false, true
	case 't':
		return '\t', true, true
	case 'n':
		return '\n', true, true
	case 'b':
		return '\b', true, true
	case '"', '\\':
		return p.s[p.i], true, true
	}
	return 0, false, false
}

func isKeyByte(c byte) bool { return isAlpha(c) || isDigit(c) || c == '-' }
