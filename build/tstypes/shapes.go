package main

import (
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// object is a structure on the page.
type object struct {
	fields []field
	bases  []string // interfaces that it extends
}

type field struct {
	name, text string // text: with the colon
	doc        docs
}

// block returns the fields on lines of their own.
func (o object) block(indent, mark string) string {
	var b strings.Builder
	for _, f := range o.fields {
		b.WriteString(above(indent, f.doc.above) + indent + mark + f.name + f.text + behind(f.doc.behind) + "\n")
	}
	return b.String()
}

// inline returns the structure where it is used: on one line, if its fields have no
// comments.
func (o object) inline(indent, mark string) string {
	parts := slices.Clone(o.bases)
	texts, comments := make([]string, len(o.fields)), false
	for i, f := range o.fields {
		texts[i] = mark + f.name + f.text
		comments = comments || f.doc.above+f.doc.behind != ""
	}
	switch {
	case comments:
		parts = append(parts, "{\n"+o.block(indent+"  ", mark)+indent+"}")
	case len(texts) > 0:
		parts = append(parts, "{ "+strings.Join(texts, "; ")+" }")
	case len(parts) == 0:
		parts = append(parts, "{}")
	}
	return strings.Join(parts, " & ")
}

// fields returns the fields of a structure, as encoding/json writes them.
func (w *writer) fields(owner *types.TypeName, t *types.Struct, fromPage bool) (out object) {
	for i := range t.NumFields() {
		f, tag := t.Field(i), reflect.StructTag(t.Tag(i))
		name, opts, _ := strings.Cut(tag.Get("json"), ",")
		w.here = f.Pos()
		if f.Embedded() && name == "" {
			w.embed(f, &out, fromPage)
			continue
		}
		if !f.Exported() || name == "-" && opts == "" {
			continue
		}
		if name == "" {
			w.fail(f.Pos(), "%s has no name in JSON", f.Name())
		}
		var doc docs
		if owner != nil {
			doc = w.docsOf(owner, f.Name())
		}
		text := ""
		if word, ok := tag.Lookup("is"); ok {
			if w.fixed[owner] == nil {
				w.fixed[owner] = map[string]string{}
			}
			w.fixed[owner][f.Name()] = word
			text = ": " + quoted(word)
		} else {
			text = w.fieldType(f, opts, fromPage)
		}
		if or := tag.Get("or"); or != "" {
			text += " | " + or
		}
		out.fields = append(out.fields, field{name, text, doc})
	}
	return out
}

// fieldType returns the type of a field, with the sign of an optional one.
func (w *writer) fieldType(f *types.Var, opts string, fromPage bool) string {
	t := f.Type()
	if strings.Contains(opts, "string") {
		w.fail(f.Pos(), "%s is written as a string, which the page's types do not know", f.Name())
	}
	if !strings.Contains(opts, "omit") {
		return ": " + w.expr(t, fromPage).text
	}
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	} else if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Bool && !fromPage {
		return "?: true"
	}
	return "?: " + w.expr(t, fromPage).text
}

// embed adds the fields of an embedded structure.
func (w *writer) embed(f *types.Var, out *object, fromPage bool) {
	n, ok := f.Type().(*types.Named)
	t, isStruct := f.Type().Underlying().(*types.Struct)
	switch {
	case !ok || !isStruct:
		w.fail(f.Pos(), "%s is embedded, and no structure", f.Name())
	case n.Obj().Exported():
		out.bases = append(out.bases, w.expr(n, fromPage).text)
	default:
		inner := w.fields(n.Obj(), t, fromPage)
		out.bases = append(out.bases, inner.bases...)
		out.fields = append(out.fields, inner.fields...)
	}
}

// expr is a type where it is used. A wide one needs brackets in a list.
type expr struct {
	text string
	wide bool
}

func (w *writer) expr(t types.Type, fromPage bool) expr {
	switch t := t.(type) {
	case *types.Alias:
		if w.ofModule(t.Obj()) && len(w.docsOf(t.Obj()).directives) > 0 {
			return w.use(t.Obj(), fromPage)
		}
		return w.expr(t.Rhs(), fromPage)
	case *types.Named:
		return w.ofNamed(t, fromPage)
	case *types.Pointer:
		if s, ok := t.Elem().Underlying().(*types.Struct); ok && s.NumFields() == 0 {
			return expr{text: "null"}
		}
		return expr{w.expr(t.Elem(), fromPage).text + " | null", true}
	case *types.Slice:
		if b, ok := t.Elem().Underlying().(*types.Basic); ok && b.Kind() == types.Byte {
			w.fail(token.NoPos, "bytes are written in base 64, which the page does not read")
		}
		e := w.expr(t.Elem(), fromPage)
		if e.wide {
			e.text = "(" + e.text + ")"
		}
		return expr{"readonly " + e.text + "[]", true}
	case *types.Map:
		return expr{text: "Readonly<Record<string, " + w.expr(t.Elem(), fromPage).text + ">>"}
	case *types.Struct:
		return expr{text: w.fields(nil, t, fromPage).inline("", "readonly ")}
	case *types.Interface:
		if t.Empty() {
			return expr{text: "unknown"}
		}
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsBoolean != 0:
			return expr{text: "boolean"}
		case info&types.IsString != 0:
			return expr{text: "string"}
		case info&(types.IsInteger|types.IsFloat) != 0:
			return expr{text: "number"}
		}
	}
	w.fail(token.NoPos, "%s has no type on the page", t)
	return expr{text: "never"}
}

// ofNamed returns the name of a type, or the type itself when it has no name on the page.
func (w *writer) ofNamed(t *types.Named, fromPage bool) expr {
	obj := t.Obj()
	if !w.ofModule(obj) {
		if writesItself(t) {
			w.fail(token.NoPos, "%s writes itself: give it a name with //ts:type in this module", t)
		}
		return w.expr(t.Underlying(), fromPage)
	}
	s, isStruct := t.Underlying().(*types.Struct)
	switch {
	case writesItself(t) && len(w.docsOf(obj).directives) == 0:
		w.fail(obj.Pos(), "%s writes itself: say with //ts:type what it is on the page", obj.Name())
	case isStruct && !obj.Exported():
		return expr{text: w.fields(obj, s, fromPage).inline("  ", "readonly ")}
	case !obj.Exported():
		w.fail(obj.Pos(), "%s is on the page, so its name must be exported", obj.Name())
	}
	return w.use(obj, fromPage)
}

func (w *writer) use(obj *types.TypeName, fromPage bool) expr {
	w.next = append(w.next, use{obj, fromPage})
	return expr{text: obj.Name()}
}

func (w *writer) ofModule(obj types.Object) bool {
	if obj.Pkg() == nil {
		return false
	}
	path := obj.Pkg().Path()
	return path == w.root.Module.Path || strings.HasPrefix(path, w.root.Module.Path+"/")
}

// writesItself reports whether a type has its own JSON encoding.
func writesItself(t types.Type) bool {
	for _, method := range []string{"MarshalJSON", "MarshalText"} {
		if m, _, _ := types.LookupFieldOrMethod(t, true, nil, method); m != nil {
			return true
		}
	}
	return false
}
