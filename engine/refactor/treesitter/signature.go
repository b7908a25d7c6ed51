package treesitter

import (
	"cmp"
	"slices"
	"strings"

	"waferpair/engine/refactor/ops"
)

// Signature is the function with its parameters and calls. It declines where one of them
// cannot be seen.
func (s syntax) Signature(arg string) (*ops.Signature, error) {
	if _, ok := s.d.(typed); ok {
		return s.javaSignature(arg)
	}
	f, err := s.function(arg)
	if err != nil {
		return nil, err
	}
	if f.params == nil {
		return nil, s.decline("%s has one parameter and no list of them", f.name)
	}
	us, err := s.certainUses(f)
	if err != nil {
		return nil, err
	}
	if err := s.typedElsewhere(f); err != nil {
		return nil, err
	}
	list := ops.ParamList{File: s.kitFile(f.unit)}
	for i, k := range f.params.list() {
		if i >= f.receiver() && !strings.HasPrefix(k.text(), "this:") {
			list.Params = append(list.Params, f.parameter(k))
		}
	}
	if f.python() {
		list.Params = sections(f.unit.src, list.Params)
	}
	out := &ops.Signature{Title: f.name, Lists: []ops.ParamList{list}}
	for _, c := range us.calls {
		out.Calls = append(out.Calls, s.passed(c))
	}
	slices.SortFunc(out.Calls, func(a, b ops.Passed) int {
		return cmp.Or(cmp.Compare(a.File.Path, b.File.Path), cmp.Compare(a.At, b.At))
	})
	return out, nil
}

// typedElsewhere declines when the order of the parameters is part of something else: the type of
// the variable that holds the function, an interface that looks like the class, `arguments`.
func (j *job) typedElsewhere(f *function) error {
	if err := j.heldElsewhere(f); err != nil {
		return err
	}
	var sly *node
	f.fn.get("body").walk(func(n *node) bool {
		if n.is("identifier") && n.text() == "arguments" && !f.python() {
			sly = n
		}
		return sly == nil
	})
	if sly != nil {
		return j.decline("%s reads its parameters through arguments (line %d)", f.name, sly.line())
	}
	return nil
}

// heldElsewhere declines when something says what the function takes and gives that is not
// followed: a template that calls it, the type of the variable that holds it, an interface that
// looks like its class.
func (j *job) heldElsewhere(f *function) error {
	others, err := j.p.holding(j.ctx, templates, f.name)
	if err != nil {
		return err
	}
	if len(others) > 0 && !f.python() {
		return j.decline("%s may call %s", few(others), f.name)
	}
	if f.def.get("type") != nil {
		return j.decline("%s has a type of its own (%s), which says what it takes and gives", f.name, f.spot())
	}
	if f.class != nil && j.d.structural() {
		units, err := j.p.mentioning(j.ctx, f.name)
		if err != nil {
			return err
		}
		for _, u := range units {
			for _, k := range u.classes {
				if !f.family.classes[k] && len(k.members[f.name]) > 0 && j.p.interchangeable(f.class, k) {
					return j.decline("%s (%s) also has a %s, and TypeScript lets its objects pass for those of %s", k.title(),
						spot(k.unit, k.node), f.name, f.class.title())
				}
			}
		}
	}
	return nil
}

func (f *function) parameter(k *node) ops.Parameter {
	name := cmp.Or(pyParamName(k), paramName(k), k.text())
	p := ops.Parameter{Name: name, From: k.from, To: k.to, End: k.to}
	switch {
	case k.is("list_splat_pattern", "dictionary_splat_pattern") || k.is("typed_parameter") && splatOf(k) != "identifier" ||
		isRest(k):
		p.Fixed = "it takes what is left"
	case k.is("default_parameter", "typed_default_parameter", "optional_parameter"):
		p.Optional = true
	}
	if value := cmp.Or(k.get("value"), k.get("right")); !f.python() { // Python makes its defaults outside
		all := paramNames(f.params.list())
		p.Uses = slices.DeleteFunc(namesIn(value), func(name string) bool { return !all[name] })
	}
	return p
}

func namesIn(n *node) []string {
	var out []string
	n.walk(func(k *node) bool {
		if k.is("identifier") {
			out = append(out, k.text())
		}
		return true
	})
	return out
}

// sections marks which parameters are passed by name only, or by place only, as Python's * and /
// say, and leaves these out.
func sections(src []byte, ps []ops.Parameter) []ops.Parameter {
	var out []ops.Parameter
	named := false
	for _, p := range ps {
		switch text := string(src[p.From:p.To]); {
		case text == "/":
			for k := range out {
				out[k].PlaceOnly = true
			}
			continue
		case text == "*":
			named = true
			continue
		case strings.HasPrefix(text, "*"):
			named = true
		default:
			p.NameOnly = named
		}
		out = append(out, p)
	}
	return out
}

func (s syntax) passed(c callSite) ops.Passed {
	out := ops.Passed{File: s.kitFile(c.u), At: c.n.from}
	for i, k := range c.arguments().list() {
		if i == 0 && c.self {
			continue
		}
		a := ops.Argument{From: k.from, To: k.to, Runs: effectOf(k) != nil}
		if k.is("keyword_argument") {
			a.Name = k.get("name").text()
		}
		out.Args = append(out.Args, a)
	}
	return out
}
