package treesitter

import (
	"maps"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// syntax is a language as the common operations see it: one job, behind kit.Syntax.
type syntax struct {
	*job
	files map[string]*kit.File
}

func (s syntax) Dialect() kit.Dialect { return s.d.style() }

// Lacks tells the operations that a language does not have although the hook is there.
func (s syntax) Lacks(op string) bool {
	if d, ok := s.d.(interface{ lacks(op string) bool }); ok && d.lacks(op) {
		return true
	}
	_, logs := s.d.(logs)
	_, prints := s.d.(prints)
	_, moves := s.d.(moves)
	_, reads := s.d.(optionReader)
	_, speaks := s.d.(printLogs)
	return op == "log-entry" && !logs || op == "remove-debug-prints" && !prints || op == "move" && !moves ||
		op == "add-flag" && !reads || op == "use-logger" && !speaks
}

func (s syntax) File(path string) (*kit.File, error) {
	u := s.p.unit(path)
	if u == nil {
		return nil, s.decline("%s cannot be read as a file of this language", path)
	}
	return s.kitFile(u), nil
}

func (s syntax) kitFile(u *unit) *kit.File {
	f := s.files[u.path]
	if f == nil {
		f = &kit.File{Path: u.path, Src: u.src, Raw: u}
		var root *kit.Node
		f.Root = func() *kit.Node {
			if root == nil {
				root = nodeOf(u.root, nil)
				root.Kind = kit.Root
			}
			return root
		}
		s.files[u.path] = f
	}
	return f
}

// nodeOf is a node and what is under it as the common operations see them.
func nodeOf(n *node, parent *kit.Node) *kit.Node {
	k := &kit.Node{Kind: kinds[n.kind], Field: n.field, From: n.from, To: n.to, Parent: parent, Raw: n}
	for c := n.first; c != nil; c = c.next {
		if c.named {
			k.Kids = append(k.Kids, nodeOf(c, k))
		}
	}
	return k
}

// kinds are what the nodes of the grammars are in any language. A node of the same name is the
// same thing in all of them.
var kinds = map[string]kit.Kind{}

func init() {
	for kind, names := range map[kit.Kind]string{
		kit.Remark: "comment line_comment block_comment hash_bang_line",
		kit.Func: `function_definition function_declaration generator_function_declaration function_expression
			generator_function arrow_function method_definition lambda method_declaration constructor_declaration
			compact_constructor_declaration lambda_expression`,
		kit.Class: `class_definition class_declaration abstract_class_declaration interface_declaration enum_declaration
			type_alias_declaration record_declaration annotation_type_declaration`,
		kit.Members: "class_body interface_body enum_body object_type enum_body_declarations annotation_type_body",
		kit.Block:   "block statement_block constructor_body",
		kit.If:      "if_statement",
		kit.Loop:    "for_statement for_in_statement while_statement do_statement enhanced_for_statement",
		kit.Switch:  "switch_statement switch_body match_statement switch_expression switch_block",
		kit.Case:    "switch_case switch_default case_clause switch_block_statement_group switch_rule",
		kit.Try:     "try_statement try_with_resources_statement",
		kit.Return:  "return_statement",
		kit.Leave:   "break_statement continue_statement throw_statement raise_statement",
		kit.Declare: "lexical_declaration variable_declaration local_variable_declaration field_declaration constant_declaration",
		kit.Assign:  "assignment assignment_expression augmented_assignment augmented_assignment_expression",
		kit.Expr:    "expression_statement",
		kit.Call:    "call call_expression new_expression method_invocation object_creation_expression",
		kit.Args:    "arguments argument_list",
		kit.Params:  "parameters formal_parameters",
		kit.Param: `required_parameter optional_parameter typed_parameter default_parameter typed_default_parameter
			formal_parameter spread_parameter`,
		kit.Name:   "identifier property_identifier type_identifier shorthand_property_identifier private_property_identifier",
		kit.Member: "attribute member_expression field_access",
		kit.Binary: "binary_operator boolean_operator comparison_operator binary_expression",
		kit.Unary:  "unary_operator not_operator unary_expression",
		kit.String: "string template_string concatenated_string string_literal",
		kit.Number: "integer float number decimal_integer_literal hex_integer_literal decimal_floating_point_literal",
		kit.List:   "list dictionary set tuple array object array_initializer",
	} {
		for _, name := range strings.Fields(names) {
			kinds[name] = kind
		}
	}
}

func (s syntax) Subject(arg string) ([]*kit.Decl, error) {
	kind := ""
	spec, _ := refactor.Lookup(s.op.Name)
	if p, _ := spec.Param(arg); !strings.Contains(p.Kinds, " ") {
		kind = p.Kinds
	}
	found, err := s.one(strings.TrimSpace(s.op.Args[arg]), kind)
	if err != nil {
		return nil, err
	}
	if _, ok := s.d.(typed); ok && found.kind == "method" && memberCount(found) > 1 {
		f, err := s.overload(found, s.op.Args[arg])
		if err != nil {
			return nil, err
		}
		if f.def != found.def {
			one := *found
			one.def, one.node = f.def, f.def.get("name")
			found = &one
		}
	}
	stmt, err := s.statement(found)
	if err != nil {
		return nil, err
	}
	d := &kit.Decl{Name: found.name, Title: found.title(), Kind: found.kind, File: s.kitFile(found.unit),
		At: found.node.from, Head: stmt.from, Raw: whole{found, stmt}}
	if impl := found.implementation(); impl != nil {
		d.Impl = impl.from
	}
	first := stmt
	for c := stmt.prev; c.is("decorator"); c = c.prev { // TypeScript: those of a member stand before it
		d.Head, first = c.from, c
	}
	d.Doc = commentAbove(first)
	return []*kit.Decl{d}, nil
}

// implementation is the name of the declaration that has the body, behind TypeScript's overloads.
func (s *subject) implementation() *node {
	if !s.def.is("function_signature", "method_signature") {
		return nil
	}
	if s.class != nil {
		for _, m := range s.class.members[s.name] {
			if m.def.is("method_definition") {
				return m.name
			}
		}
		return nil
	}
	for _, d := range s.b.decls {
		if d.def.is("function_declaration", "generator_function_declaration") {
			return d.name
		}
	}
	return nil
}

// title is the name with the class or the function that it is in.
func (s *subject) title() string {
	if n := len(s.within); n > 0 && s.within[n-1] != "" && (s.class != nil || s.nested()) {
		return s.within[n-1] + "." + s.name
	}
	return s.name
}

// whole is what a kit.Decl stands for: the subject, and the statement that declares it.
type whole struct {
	subject *subject
	stmt    *node
}

// statement is what declares the subject, as a member of a block, a class or the file.
func (j *job) statement(s *subject) (*node, error) {
	n := s.def
	for !n.parent.is("module", "program", "block", "class_body", "statement_block", "interface_body", "enum_body",
		"enum_body_declarations", "annotation_type_body", "constructor_body", "switch_block_statement_group") {
		if n = n.parent; n.parent == nil {
			return nil, j.decline("%s (%s) is not a statement", s.name, s.spot())
		}
	}
	return n, nil
}

// commentAbove is the run of comments directly above a node, or nil.
func commentAbove(n *node) *kit.Comment {
	first := above(n)
	if first == n {
		return nil
	}
	last := first
	for last.next.is("comment") && last.next.from < n.from {
		last = last.next
	}
	return &kit.Comment{From: first.from, To: lineEnd(last.src, last.to), Block: strings.HasPrefix(last.text(), "/*")}
}

func (s syntax) Lines(d *kit.Decl) (from, to int, err error) {
	stmt := d.Raw.(whole).stmt
	if d.Impl > 0 {
		return 0, 0, s.decline("%s has overloads (%s); select the lines of all of them", d.Title, d.Place())
	}
	if from = d.Head; d.Doc != nil {
		from = d.Doc.From
	}
	if def := d.Raw.(whole).subject.def; def.is("variable_declarator") && !onlyKid(def) {
		return 0, 0, s.decline("%s is declared together with others (%s)", d.Title, d.Place())
	}
	if !stmt.ownLines() || !d.File.BeginsLine(d.Head) {
		return 0, 0, s.decline("%s (%s) shares its lines with other code", d.Title, d.Place())
	}
	return d.File.LineStart(from), d.File.LineEnd(stmt.to), nil
}

// onlyKid reports whether no other node of its kind is beside n.
func onlyKid(n *node) bool {
	for c := n.parent.first; c != nil; c = c.next {
		if c != n && c.kind == n.kind {
			return false
		}
	}
	return true
}

func (s syntax) Unused(f *kit.File, from, to int, _ *kit.Decl) error {
	return s.stillBound(f.Raw.(*unit), from, to)
}

func (s syntax) Settle(j *kit.Job) ([]refactor.FileEdit, error) {
	for path, changes := range j.Edits.Changes { // beside what hooks have changed
		s.edits[path] = append(s.edits[path], changes...)
	}
	maps.Copy(s.create, j.Edits.Created)
	if j.Promise.Comments {
		for path, changes := range s.edits {
			if err := s.sameCode(path, changes); err != nil {
				return nil, err
			}
		}
	}
	r, err := s.result("")
	j.Notes = append(j.Notes, s.notes...)
	return r.Edits, err
}
