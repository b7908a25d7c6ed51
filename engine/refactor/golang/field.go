package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"waferpair/engine/refactor/words"
)

// typeDecl finds the type that an operation is about, once per build.
func (j *job) typeDecl() (*symbol, error) {
	s, err := j.symbol("type", "type")
	if err != nil {
		return nil, err
	}
	for _, d := range s.decls {
		if _, ok := d.node.(*ast.TypeSpec); !ok {
			return nil, j.declined("%s is not a type of a package", s)
		}
	}
	return s, nil
}

// addField adds a field to a struct, or a method to an interface.
func (j *job) addField() error {
	name, typ := j.arg("name"), j.arg("fieldtype")
	if !token.IsIdentifier(name) {
		return j.declined("%q is not a name in Go", name)
	}
	if typ == "" {
		return j.declined("a field in Go needs a type; say which: %s TYPE", name)
	}
	if j.arg("value") != "" {
		return j.declined("a field in Go has no initial value")
	}
	s, err := j.typeDecl()
	if err != nil {
		return err
	}
	for _, d := range s.decls {
		if err := j.addMember(d, name, typ); err != nil {
			return err
		}
	}
	j.guard = []string{name}
	j.summary = fmt.Sprintf("Added %s %s to %s.", name, typ, s.first().name.Name)
	also := j.dirsUsing(s.first())
	if exported(s.first().name.Name) {
		also = append(also, keys(j.p.dependents(map[string]bool{s.first().file.dir: true}))...)
	}
	return j.settle(also...)
}

func (j *job) addMember(d *decl, name, typ string) error {
	if err := j.memberFree(d, name); err != nil {
		return err
	}
	spec := d.node.(*ast.TypeSpec)
	var list *ast.FieldList
	line := name + " " + typ
	switch t := spec.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
		line = name + strings.TrimPrefix(strings.TrimSpace(typ), "func")
		typ = "func" + strings.TrimPrefix(strings.TrimSpace(typ), "func")
	default:
		return j.declined("%s is neither a struct nor an interface (%s)", d.name.Name, d.place())
	}
	expr, err := parser.ParseExpr(typ)
	if err != nil {
		return j.declined("%q is not a type in Go", typ)
	}
	j.appendMember(d.file, list, line)
	j.importsOf(d.file, expr)
	return nil
}

// memberFree declines a name that the type has, itself or through what it embeds.
func (j *job) memberFree(d *decl, name string) error {
	_, x := j.unitOf(j.p, d.file)
	if x == nil {
		return j.declined("no build includes %s", d.file.path)
	}
	o := x.info.Defs[d.name]
	if o == nil {
		return nil
	}
	if m, _, _ := types.LookupFieldOrMethod(o.Type(), true, x.pkg, name); m != nil {
		where := ""
		if l, ok := j.p.locate(m.Pos()); ok {
			where = fmt.Sprintf(" (%s:%d)", l.path, j.p.file(l.path).line(l.off))
		}
		return j.declined("%s has a field or method %s already%s", d.name.Name, name, where)
	}
	return nil
}

// appendMember writes the line behind the last member, on a line of its own.
func (j *job) appendMember(g *goFile, l *ast.FieldList, line string) {
	open, closing := g.off(l.Opening), g.off(l.Closing)
	if g.line(open) != g.line(closing) {
		at := g.lineStart(closing)
		if strings.TrimSpace(string(g.src[at:closing])) == "" {
			j.insertLines(g, at, g.indent(closing)+"\t"+line+"\n")
			return
		}
		j.insertLines(g, closing, "\n"+g.indent(open)+"\t"+line+"\n"+g.indent(open))
		return
	}
	ind := g.indent(open)
	old := strings.TrimSpace(string(g.src[open+1 : closing]))
	if old != "" {
		old = ind + "\t" + old + "\n"
	}
	space := ""
	if open > 0 && g.src[open-1] != ' ' {
		space = " "
	}
	j.replaceLines(g, open, closing, space+"{\n"+old+ind+"\t"+line+"\n"+ind)
}

// jsonTags gives the exported fields of a struct that have none a json tag.
func (j *job) jsonTags() error {
	s, err := j.typeDecl()
	if err != nil {
		return err
	}
	n := 0
	for _, d := range s.decls {
		st, ok := d.node.(*ast.TypeSpec).Type.(*ast.StructType)
		if !ok {
			return j.declined("%s is not a struct (%s)", d.name.Name, d.place())
		}
		k, err := j.tagFields(d, st)
		if err != nil {
			return err
		}
		n += k
	}
	if n == 0 {
		return j.declined("every exported field of %s has a json tag", s.first().name.Name)
	}
	j.note("Where %s was encoded before, its JSON used the fields' own names.", s.first().name.Name)
	j.summary = fmt.Sprintf("Added json tags to %s of %s.", plural(n, "field"), s.first().name.Name)
	return j.settle(j.dirsUsing(s.first())...)
}

func (j *job) tagFields(d *decl, st *ast.StructType) (int, error) {
	g, n := d.file, 0
	taken := map[string]bool{}
	for _, f := range st.Fields.List {
		if v, ok := jsonTag(f); ok {
			name, _, _ := strings.Cut(v, ",")
			taken[name] = true
		}
	}
	for _, f := range st.Fields.List {
		var names []string
		for _, id := range f.Names {
			if exported(id.Name) {
				names = append(names, id.Name)
			}
		}
		if _, has := jsonTag(f); has || len(names) == 0 {
			continue
		}
		if len(f.Names) > 1 {
			return 0, j.declined("%s shares one line, so one tag, in %s: give each field its line first",
				list(names, "and"), d.name.Name)
		}
		key := j.jsonName(names[0])
		if taken[key] {
			return 0, j.declined("two fields of %s would be %q in JSON", d.name.Name, key)
		}
		taken[key] = true
		j.writeTag(g, f, "json:"+strconv.Quote(key))
		n++
	}
	return n, nil
}

func (j *job) writeTag(g *goFile, f *ast.Field, tag string) {
	if f.Tag == nil {
		j.edits.insert(g.path, g.off(f.Type.End()), " `"+tag+"`")
		return
	}
	at := g.off(f.Tag.End()) - 1
	if f.Tag.Value[0] == '"' {
		tag = strings.ReplaceAll(tag, `"`, `\"`)
	}
	if len(f.Tag.Value) > 2 {
		tag = " " + tag
	}
	j.edits.insert(g.path, at, tag)
}

func jsonTag(f *ast.Field) (string, bool) {
	if f.Tag == nil {
		return "", false
	}
	s, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return "", false
	}
	return reflect.StructTag(s).Lookup("json")
}

// jsonName is the field's name in JSON: user_id, or userId with style camel.
func (j *job) jsonName(field string) string {
	ws := words.Of(field)
	for i, w := range ws {
		ws[i] = strings.ToLower(w)
	}
	if j.arg("style") != "camel" {
		return strings.Join(ws, "_")
	}
	for i, w := range slices.Clone(ws) {
		if i > 0 {
			ws[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(ws, "")
}
