package treesitter

import "fmt"

func init() { operations["remove-param"] = removeParam }

// removeParam removes a parameter that nothing reads, and what the calls pass for it.
func removeParam(j *job) (string, error) {
	f, err := j.function("func")
	if err != nil {
		return "", err
	}
	name := j.op.Args["name"]
	kids := f.params.list()
	at := -1
	for i, k := range kids {
		if pyParamName(k) == name || paramName(k) == name {
			at = i
		}
	}
	if at < 0 {
		return "", j.declineNear(closest(name, paramNames(kids)), "%s has no parameter %s", f.name, name)
	}
	if err := j.unread(f, kids[at], name); err != nil {
		return "", err
	}
	if bareSeparator(kids, at) {
		return "", j.decline("without %s, the * or / of %s would stand alone", name, f.name)
	}
	us, err := j.certainUses(f)
	if err != nil {
		return "", err
	}
	removed := 0
	for _, c := range us.calls {
		i := at - f.receiver()
		if c.self {
			i++
		}
		did, err := j.dropArgument(c, f, name, i)
		if err != nil {
			return "", err
		}
		if did {
			removed++
		}
	}
	cut(j, f.unit, f.params, kids, at)
	return fmt.Sprintf("Removed the parameter %s from %s and the argument from %s.", name, f.name,
		count(removed, "call", "calls")), nil
}

// bareSeparator: Python's * must have a parameter behind it, its / one before it.
func bareSeparator(kids []*node, at int) bool {
	lone := at+1 == len(kids) || kids[at+1].is("dictionary_splat_pattern")
	return at > 0 && kids[at-1].is("keyword_separator") && lone ||
		at == 0 && len(kids) > 1 && kids[1].is("positional_separator")
}

func paramNames(kids []*node) map[string]bool {
	out := map[string]bool{}
	for _, k := range kids {
		out[pyParamName(k)] = true
		out[paramName(k)] = true
	}
	delete(out, "")
	return out
}

func pyParamName(k *node) string {
	switch k.kind {
	case "identifier":
		return k.text()
	case "default_parameter", "typed_default_parameter":
		return k.get("name").text()
	case "typed_parameter":
		return pyParamName(k.firstKid())
	}
	return ""
}

// unread declines when the body uses the parameter, or could without naming it.
func (j *job) unread(f *function, param *node, name string) error {
	fs := f.unit.scopes[f.fn]
	b := fs.names[name]
	if b == nil || f.receiver() > 0 && f.params.firstKid() == param {
		return j.decline("%s cannot be removed from %s", name, f.name)
	}
	for _, r := range b.refs {
		if !r.decl {
			return j.decline("%s uses %s (line %d)", f.name, name, r.node.line())
		}
	}
	if len(b.decls) > 1 || param.child("accessibility_modifier", "readonly") != nil {
		return j.decline("%s is more than a parameter of %s", name, f.name)
	}
	var sly *node
	f.fn.walk(func(n *node) bool {
		if n.is("identifier") && (n.text() == "arguments" && !f.python() || n.text() == "locals" || n.text() == "vars" ||
			n.text() == "eval" || n.text() == "exec") {
			sly = n
		}
		return true
	})
	if sly != nil {
		return j.decline("%s reads its parameters through %s (line %d)", f.name, sly.text(), sly.line())
	}
	return nil
}

// dropArgument removes what a call passes for the parameter.
func (j *job) dropArgument(c callSite, f *function, name string, at int) (bool, error) {
	kids := c.arguments().list()
	target := -1
	positional := 0
	for i, k := range kids {
		switch {
		case k.is("keyword_argument"):
			if k.get("name").text() == name {
				target = i
			}
		case positional == at && !keywordOnly(f, name):
			target = i
			positional++
		default:
			positional++
		}
	}
	if target < 0 {
		return false, nil
	}
	arg := kids[target]
	if arg.is("keyword_argument") {
		arg = arg.get("value")
	}
	if effect := effectOf(arg); effect != nil {
		return false, j.decline("the argument %s at %s may have an effect", oneLine(arg.text()), spot(c.u, arg))
	}
	cut(j, c.u, c.arguments(), kids, target)
	return true, nil
}

func keywordOnly(f *function, name string) bool {
	after := false
	for k := range f.params.kids {
		if pyParamName(k) == name {
			return after
		}
		after = after || k.is("keyword_separator") || splatOf(k) == "list_splat_pattern"
	}
	return false
}

// effectOf finds what evaluating an expression could do besides giving a value.
func effectOf(n *node) *node {
	var found *node
	n.walk(func(k *node) bool {
		if k.is("lambda", "arrow_function", "function_expression") {
			return false
		}
		if k.is("call", "call_expression", "new_expression", "await", "await_expression", "yield", "yield_expression",
			"named_expression", "assignment_expression", "augmented_assignment_expression", "update_expression") {
			found = k
		}
		return found == nil
	})
	return found
}

// cut removes an element of a comma-separated list with its comma.
func cut(j *job, u *unit, list *node, kids []*node, at int) {
	k := kids[at]
	switch {
	case at+1 < len(kids):
		j.replace(u.path, k.from, kids[at+1].from, "")
	case at > 0:
		j.replace(u.path, kids[at-1].to, k.to, "")
	default:
		to := k.to
		if k.next.is(",") {
			to = k.next.to
		}
		j.replace(u.path, k.from, to, "")
	}
}
