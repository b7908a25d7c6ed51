package kit

import "slices"

// Node is a node of a syntax tree as operations see it: with kinds and fields that mean the
// same in every language. Nodes of a kind that no operation asks for are Other.
type Node struct {
	Kind     Kind
	Field    string // what it is to its parent, in tree-sitter's words: name, body, condition, ...
	From, To int
	Parent   *Node
	Kids     []*Node // in the order of the source; punctuation is left out
	Raw      any     // the language's own node
}

// Kind is what a node is in any language.
type Kind string

// The kinds. Fields that a kind has everywhere stand behind it.
const (
	Other  Kind = ""
	Root   Kind = "file"
	Remark Kind = "comment"

	Func    Kind = "function" // a declaration, a method or a literal: name, parameters, body, return_type
	Class   Kind = "type"     // name, body
	Members Kind = "members"  // what a class, a struct, an interface or an enum holds
	Group   Kind = "group"    // several declarations in parentheses
	Block   Kind = "block"
	If      Kind = "if" // condition, consequence, alternative
	Loop    Kind = "loop"
	Switch  Kind = "switch"
	Case    Kind = "case"
	Try     Kind = "try"
	Return  Kind = "return"
	Leave   Kind = "leave"     // break, continue, goto, throw, raise
	Declare Kind = "declare"   // of variables or constants: left, right
	Assign  Kind = "assign"    // left, right, operator
	Expr    Kind = "statement" // an expression as a statement

	Call   Kind = "call" // function, arguments
	Args   Kind = "arguments"
	Params Kind = "parameters"
	Param  Kind = "parameter" // name, type, value
	Name   Kind = "name"
	Member Kind = "member" // object, property
	Binary Kind = "binary" // left, operator, right
	Unary  Kind = "unary"
	String Kind = "string"
	Number Kind = "number"
	List   Kind = "list" // a composite value: array, object, dict, composite literal
)

// Word is the kind as messages say it.
func (n *Node) Word() string {
	if n.Kind == Other {
		return "code"
	}
	return string(n.Kind)
}

// holders are the kinds whose kids stand for themselves: any of them can go, and the rest
// keeps its shape.
var holders = []Kind{Root, Members, Group, Block, Switch, Case, List}

// Holder reports whether the node's kids stand for themselves.
func (n *Node) Holder() bool { return slices.Contains(holders, n.Kind) }

// Is reports whether the node is of one of the kinds; nil is of none.
func (n *Node) Is(kinds ...Kind) bool { return n != nil && slices.Contains(kinds, n.Kind) }

// Get is the first kid with that field, or nil.
func (n *Node) Get(field string) *Node {
	if n == nil {
		return nil
	}
	for _, k := range n.Kids {
		if k.Field == field {
			return k
		}
	}
	return nil
}

// Args are the arguments of a call.
func (n *Node) Args() []*Node {
	if list := n.Get("arguments"); list.Is(Args) {
		n = list
		return n.Code()
	}
	return slices.DeleteFunc(n.Code(), func(k *Node) bool { return k.Field != "argument" })
}

// Up is the nearest node around n (n excluded) of one of the kinds, or nil.
func (n *Node) Up(kinds ...Kind) *Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Is(kinds...) {
			return p
		}
	}
	return nil
}

// Walk visits n and what is under it, outer nodes first; visit returns whether to go below.
func (n *Node) Walk(visit func(*Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, k := range n.Kids {
		k.Walk(visit)
	}
}

// Code are the kids that are no comments.
func (n *Node) Code() []*Node {
	return slices.DeleteFunc(slices.Clone(n.Kids), func(k *Node) bool { return k.Kind == Remark })
}

// Covers reports whether the node holds all of [from, to).
func (n *Node) Covers(from, to int) bool { return n.From <= from && to <= n.To }

// Of is the node that stands for one of the language's own, or nil.
func (f *File) Of(raw any) *Node {
	if f.byRaw == nil {
		f.byRaw = map[any]*Node{}
		f.Root().Walk(func(n *Node) bool {
			f.byRaw[n.Raw] = n
			return true
		})
	}
	return f.byRaw[raw]
}

// Around is the smallest node that holds all of [from, to).
func (f *File) Around(from, to int) *Node {
	n := f.Root()
	for {
		i := slices.IndexFunc(n.Kids, func(k *Node) bool { return k.Covers(from, to) })
		if i < 0 {
			return n
		}
		n = n.Kids[i]
	}
}
