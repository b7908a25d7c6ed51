package server_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)

func parseSchema(src string) (*tsSchema, error) {
	s := &tsSchema{types: map[string]tsType{}, fields: map[string][]string{}, args: map[string]map[string][]string{}}
	p := &tsParser{toks: tsTokens(comments.ReplaceAllString(src, ""))}
	for p.peek() != "" {
		p.next() // export
		kind, name := p.next(), p.next()
		if kind == "interface" {
			if name == "Commands" || name == "Reads" {
				outs, args := p.outs(name)
				maps.Copy(s.types, outs)
				s.args[name] = args
				continue
			}
			bases := p.extends()
			s.types[name] = p.object(bases)
			s.fields[name] = p.last
			continue
		}
		p.expect("=")
		s.types[name] = p.union()
		if p.err != nil {
			return nil, fmt.Errorf("type %s: %w", name, p.err)
		}
	}
	for _, own := range []string{"UIState", "Prefs"} { // Go only stores them
		s.types[own] = is[map[string]any]("object")
	}
	return s, p.err
}

var tokens = regexp.MustCompile(`'[^']*'|[A-Za-z_][A-Za-z_0-9]*|\.\.\.|[{}\[\]()<>|&:;?,=]|-?\d+`)

func tsTokens(src string) []string { return tokens.FindAllString(src, -1) }

type tsParser struct {
	toks []string
	last []string // fields of the last object
	err  error
}

func (p *tsParser) peek() string {
	if len(p.toks) == 0 {
		return ""
	}
	return p.toks[0]
}

func (p *tsParser) next() string {
	t := p.peek()
	if t != "" {
		p.toks = p.toks[1:]
	}
	return t
}

func (p *tsParser) expect(want string) {
	if got := p.next(); got != want && p.err == nil {
		p.err = fmt.Errorf("%q where %q is expected, before %v", got, want, p.toks[:min(8, len(p.toks))])
	}
}

func (p *tsParser) extends() (bases []string) {
	for p.peek() != "{" && p.peek() != "" {
		if t := p.next(); t != "extends" && t != "," {
			bases = append(bases, t)
		}
	}
	return bases
}

// outs parses Commands or Reads: name: { in: ...; out: ... }.
func (p *tsParser) outs(name string) (out map[string]tsType, args map[string][]string) {
	out, args = map[string]tsType{}, map[string][]string{}
	p.expect("{")
	for p.peek() != "}" && p.err == nil {
		member := p.next()
		p.expect(":")
		p.expect("{")
		p.expect("in")
		p.expect(":")
		args[member] = p.takes()
		p.expect(";")
		p.expect("out")
		p.expect(":")
		out[name+"."+member] = p.union()
		p.expect("}")
	}
	p.next()
	return out, args
}

// takes parses what a command takes: an object, the name of one, or both.
func (p *tsParser) takes() (fields []string) {
	for {
		if p.peek() == "{" {
			p.object(nil)
			fields = append(fields, p.last...)
		} else {
			fields = append(fields, "+"+p.next())
		}
		if p.peek() != "&" {
			return fields
		}
		p.next()
	}
}

// argsOf are the fields that a command or read takes.
func (s *tsSchema) argsOf(which, name string) []string {
	var out []string
	for _, f := range s.args[which][name] {
		if ref, is := strings.CutPrefix(f, "+"); is {
			out = append(out, s.fields[ref]...)
		} else {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return out
}

func (p *tsParser) union() tsType {
	if p.peek() == "|" {
		p.next()
	}
	parts := []tsType{p.both()}
	for p.peek() == "|" {
		p.next()
		parts = append(parts, p.both())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return func(s *tsSchema, v any) error {
		var errs []string
		for _, part := range parts {
			err := part(s, v)
			if err == nil {
				return nil
			}
			errs = append(errs, err.Error())
		}
		return fmt.Errorf("none of: %s", strings.Join(errs, " / "))
	}
}

// both parses A & B, whose fields are checked together only as far as each
// allows others: it is used for queries alone.
func (p *tsParser) both() tsType {
	t := p.list()
	for p.peek() == "&" {
		p.next()
		p.list()
	}
	return t
}

func (p *tsParser) list() tsType {
	if p.peek() == "readonly" {
		p.next()
	}
	t := p.atom()
	for p.peek() == "[" {
		p.next()
		p.expect("]")
		t = listOf(t)
	}
	return t
}

func listOf(t tsType) tsType {
	return func(s *tsSchema, v any) error {
		all, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%.80v is no list", v)
		}
		for i, one := range all {
			if err := t(s, one); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	}
}

func (p *tsParser) atom() tsType {
	switch t := p.peek(); {
	case t == "{":
		return p.object(nil)
	case t == "[":
		return p.tuple()
	case t == "(":
		p.next()
		u := p.union()
		p.expect(")")
		return u
	case strings.HasPrefix(t, "'"):
		p.next()
		return literal(strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(strings.Trim(t, "'")))
	}
	name := p.next()
	if p.peek() == "<" {
		return p.generic(name)
	}
	return named(name)
}

func (p *tsParser) generic(name string) tsType {
	p.next()
	inner := p.union()
	for p.peek() == "," {
		p.next()
		inner = p.union()
	}
	p.expect(">")
	if name != "Record" {
		return inner // Readonly
	}
	return func(s *tsSchema, v any) error {
		for k, one := range v.(map[string]any) {
			if err := inner(s, one); err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
		}
		return nil
	}
}

func (p *tsParser) tuple() tsType {
	p.expect("[")
	var parts []tsType
	var rest tsType
	for p.peek() != "]" && p.err == nil {
		if p.peek() == "..." {
			p.next()
			rest = p.atom()
			p.expect("[")
			p.expect("]")
		} else {
			parts = append(parts, p.union())
		}
		if p.peek() == "," {
			p.next()
		}
	}
	p.next()
	return func(s *tsSchema, v any) error {
		all, ok := v.([]any)
		if !ok || len(all) < len(parts) || rest == nil && len(all) != len(parts) {
			return fmt.Errorf("%.80v is not the tuple", v)
		}
		for i, one := range all {
			t := rest
			if i < len(parts) {
				t = parts[i]
			}
			if err := t(s, one); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return nil
	}
}

func literal(want any) tsType {
	return func(_ *tsSchema, v any) error {
		if v != want {
			return fmt.Errorf("%.80v is not %v", v, want)
		}
		return nil
	}
}

func named(name string) tsType {
	switch name {
	case "unknown", "any":
		return func(*tsSchema, any) error { return nil }
	case "null":
		return literal(nil)
	case "true":
		return literal(true)
	case "string":
		return is[string](name)
	case "number":
		return is[float64](name)
	case "boolean":
		return is[bool](name)
	}
	return func(s *tsSchema, v any) error {
		t := s.types[name]
		if t == nil {
			return fmt.Errorf("there is no type %s", name)
		}
		return t(s, v)
	}
}

func is[T any](name string) tsType {
	return func(_ *tsSchema, v any) error {
		if _, ok := v.(T); !ok {
			return fmt.Errorf("%.80v is no %s", v, name)
		}
		return nil
	}
}

type tsField struct {
	optional bool
	is       tsType
}

func (p *tsParser) object(bases []string) tsType {
	fields := map[string]tsField{}
	p.expect("{")
	for p.peek() != "}" && p.err == nil {
		name := p.next()
		if name == "readonly" {
			name = p.next()
		}
		f := tsField{}
		if p.peek() == "?" {
			p.next()
			f.optional = true
		}
		p.expect(":")
		f.is = p.union()
		fields[name] = f
		if p.peek() == ";" || p.peek() == "," {
			p.next()
		}
	}
	p.next()
	p.last = slices.Sorted(maps.Keys(fields))
	return func(s *tsSchema, v any) error { return checkObject(s, fields, bases, v) }
}

func checkObject(s *tsSchema, fields map[string]tsField, bases []string, v any) error {
	o, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%.80v is no object", v)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one, there := o[name]
		if !there {
			if !fields[name].optional {
				return fmt.Errorf("%s is missing", name)
			}
			continue
		}
		if err := fields[name].is(s, one); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for name := range o {
		if _, known := fields[name]; !known && len(bases) == 0 {
			return fmt.Errorf("%s is not in the protocol", name)
		}
	}
	return nil
}
