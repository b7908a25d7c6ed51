package treesitter

import (
	"slices"

	"waferpair/engine/refactor/words"
)

func init() { javaOps["visibility"] = javaVisibility }

// javaVisibility writes the modifier of a method, a field or a class of the top level.
func javaVisibility(j *job) (string, error) {
	s, err := j.one(j.op.Args["symbol"], "")
	if err != nil {
		return "", err
	}
	v := &seen{job: j, subject: s, to: j.op.Args["to"]}
	switch {
	case !has([]string{"public", "private", "protected"}, v.to):
		return "", j.decline("%q is none of public, private and protected", v.to)
	case s.class == nil && s.b != nil && s.b.scope.kind == moduleScope:
		return v.javaType()
	case s.class == nil:
		return "", j.decline("%s (%s) is a %s, whose visibility is not changed", s.name, s.spot(), s.kind)
	}
	def := s.def
	if def.is("variable_declarator") {
		if def = def.parent; len(def.all("declarator")) > 1 {
			return "", j.decline("%s is declared together with others (line %d)", s.name, def.line())
		}
	}
	if s.class.iface || !def.is("method_declaration", "field_declaration") {
		return "", j.decline("%s (%s) is as visible as what declares it", s.name, s.spot())
	}
	now := javaLevel(def)
	if now == v.to {
		return "", j.already("%s is %s", s.name, v.to)
	}
	if err := v.javaAllowed(def, now); err != nil {
		return "", err
	}
	v.javaModifier(def)
	return v.said(), nil
}

var javaLevels = []string{"private", "", "protected", "public"}

// javaLevel is the modifier of a declaration, "" for its package alone.
func javaLevel(def *node) string {
	return def.child("modifiers").child("public", "protected", "private").text()
}

// javaType makes a class of the top level public.
func (v *seen) javaType() (string, error) {
	switch {
	case v.to != "public":
		return "", v.decline("a class of the top level is public, or its package's")
	case javaLevel(v.def) == v.to:
		return "", v.already("%s is %s", v.name, v.to)
	case javaStem(v.unit.path) != v.name:
		return "", v.decline("what is public has a file of its own: %s is in %s", v.name, v.unit.path)
	}
	v.javaModifier(v.def)
	return v.said(), nil
}

// javaModifier writes the modifier behind the annotations.
func (v *seen) javaModifier(def *node) {
	path, ms := v.unit.path, def.child("modifiers")
	if old := ms.child("public", "protected", "private"); old != nil {
		v.replace(path, old.from, old.to, v.to)
		return
	}
	at := def.from
	if ms != nil {
		for at = ms.to; at < len(v.unit.src) && (v.unit.src[at] <= ' '); {
			at++
		}
		for c := ms.first; c != nil; c = c.next {
			if !c.is("marker_annotation", "annotation", "comment") {
				at = c.from
				break
			}
		}
	}
	v.replace(path, at, at, v.to+" ")
}

// javaHarmless are the annotations that no tool looks for at run time.
var javaHarmless = words.Set(`Deprecated SuppressWarnings SafeVarargs Nullable NonNull NotNull Override`)

// javaAllowed declines when a use would be out of reach, or another class has a say.
func (v *seen) javaAllowed(def *node, now string) error {
	wider := slices.Index(javaLevels, v.to) > slices.Index(javaLevels, now)
	if n := len(v.class.members[v.name]); v.kind == "method" && n > 1 {
		return v.decline("%s is declared %d times in %s", v.name, n, v.class.title())
	}
	mu, err := v.memberUses(v.class, v.name, v.kind == "method")
	if err != nil {
		return err
	}
	switch {
	case len(mu.owners) > 1 && v.kind == "method":
		return v.decline("%s is declared by %s and %s, which must agree", v.name, mu.owners[0].title(), mu.owners[1].title())
	case len(mu.owners) > 1:
		return v.decline("%s and %s both declare %s", mu.owners[0].title(), mu.owners[1].title(), v.name)
	case wider && now != "private":
		return nil
	case wider: // what was private overrides nothing, and may now
		if b := v.p.unsureOf(v.class, v.name); b != nil && v.kind == "method" {
			return v.decline("%s may declare a %s, which this one would override", b.text(), v.name)
		}
		return v.javaUnshadowed()
	}
	for a := range def.child("modifiers").kids {
		if name := a.get("name").text(); a.is("marker_annotation", "annotation") && !javaHarmless[name] {
			return v.decline("@%s at %s may be for a tool that has to see %s", name, spot(v.unit, a), v.name)
		}
	}
	if b := v.p.unsureOf(v.class, v.name); v.kind == "method" && (b != nil || javaHas(def, "abstract") ||
		v.name == "main") {
		return v.decline("%s.%s may be called by what is not in this project", v.class.title(), v.name)
	}
	outer := v.unit.outermost(v.class)
	for _, s := range append(mu.sure, mu.doubts...) {
		near := s.u == v.unit && s.n.within(outer)
		if !near && !(v.to == "protected" && s.u.pkg == v.unit.pkg) {
			return v.decline("%s is used at %s", v.name, s.spot())
		}
	}
	for k := range mu.family.classes {
		if v.to == "private" && k != v.class && has(v.p.ancestry(k), v.class) && containsWord(k.unit.src, v.name) &&
			k.unit == v.unit {
			return v.decline("%s has it from %s", k.title(), v.class.title())
		}
	}
	return nil
}

// javaUnshadowed declines where a class below declares the same: it would override the method.
func (v *seen) javaUnshadowed() error {
	units, err := v.p.mentioning(v.ctx, v.name)
	if err != nil {
		return err
	}
	for _, u := range units {
		for _, k := range u.classes {
			related := has(v.p.ancestry(k), v.class) || has(v.p.ancestry(v.class), k)
			if k != v.class && related && len(k.members[v.name]) > 0 {
				return v.decline("%s declares a %s, too (%s)", k.title(), v.name, spot(u, k.members[v.name][0].name))
			}
		}
	}
	return nil
}

// outermost is the type of the top level that a type is in.
func (u *unit) outermost(c *class) *node {
	n := c.node
	for p := n; p != nil; p = p.parent {
		if p.is(javaTypes...) {
			n = p
		}
	}
	return n
}
