package refactor

import (
	"context"
	"fmt"
	"strings"

	"waferpair/workspace/text"
)

// A subject (a symbol, func, type or name argument) that begins with Pointer
// means what is selected rather than a name: the smallest declaration that
// encloses the selected lines, or the only one that they cover. A kind may
// follow, and a member behind a dot: "@", "@func", "@type", "@func.w" (the w of
// the enclosing function). No name of any language begins with it.
const Pointer = "@"

// Encloser is what a Language implements so that requests can point: "rename
// this function to load". kind is "", func (methods included), method, type,
// var, const or field. The symbol is one that the language's operations
// understand, and that means only this declaration when Target.File is the
// file (Type.Method, outer.inner). ok is false when the lines hold no such
// declaration; a *Declined says that they hold several.
type Encloser interface {
	Enclosing(ctx context.Context, src Source, target Target, kind string) (symbol, foundKind string, ok bool, err error)
}

// point replaces pointers by the names of what is selected. The selection has
// then done its part: the target that is left is the file.
func (r Runner) point(ctx context.Context, src Source, target Target, op Op) (Op, Target, error) {
	spec, _ := Lookup(op.Name)
	for _, p := range spec.Params {
		arg := p.Name
		kind, ok := strings.CutPrefix(op.Args[arg], Pointer)
		if !ok || !p.Pointable() {
			continue
		}
		kind, member, _ := strings.Cut(kind, ".")
		symbol, found, err := r.enclosing(ctx, src, target, op, kind)
		if err != nil {
			return op, target, err
		}
		if member != "" {
			symbol += "." + member
		}
		op = op.with(arg, symbol)
		if op.Name == "rename" && op.Args["kind"] == "" && member == "" {
			op = op.with("kind", found)
		}
		return op, Target{File: target.File}, nil
	}
	return r.documentSelection(ctx, src, target, op)
}

// documentSelection makes "add doc comments" with lines selected mean the
// declaration that they select or, when they cover several, all of those.
func (r Runner) documentSelection(ctx context.Context, src Source, target Target, op Op) (Op, Target, error) {
	if op.Name != "doc" || target.From <= 0 || op.Args["symbol"] != "" || op.Args["which"] != "" || op.Args["kind"] != "" {
		return op, target, nil
	}
	if e, ok := r.encloser(target.File); ok {
		symbol, _, ok, err := e.Enclosing(ctx, src, target, "")
		if ok && err == nil {
			return op.with("symbol", symbol), Target{File: target.File}, nil
		}
	}
	return op.with("which", "all"), target, nil
}

func (r Runner) enclosing(ctx context.Context, src Source, target Target,
	op Op, kind string) (symbol, found string, err error) {
	if target.File == "" || target.From <= 0 {
		return "", "", &Declined{Understood: op.String(), Reason: "nothing is selected, so there is no " + kindWord(kind) +
			" to point at", Nearest: []string{"name it", "select it with --file FILE --lines N-M"}}
	}
	e, ok := r.encloser(target.File)
	if !ok {
		return "", "",
			&Declined{Understood: op.String(),
				Reason:  "no language that the built-in model knows can tell what is selected in " + target.File,
				Nearest: []string{"name it"}}
	}
	symbol, found, ok, err = e.Enclosing(ctx, src, target, kind)
	if err != nil {
		return "", "", understood(err, op)
	}
	if !ok {
		return "", "", &Declined{Understood: op.String(), Reason: fmt.Sprintf("%s of %s are in no %s", target.lines(),
			target.File, kindWord(kind)), Nearest: []string{"name it", "select other lines"}}
	}
	return symbol, found, nil
}

func (r Runner) encloser(file string) (Encloser, bool) {
	for _, l := range r.Languages {
		if l.Handles(file) {
			e, ok := l.(Encloser)
			return e, ok
		}
	}
	return nil, false
}

func (t Target) lines() string { return fmt.Sprintf("lines %d-%d", t.From, max(t.From, t.To)) }

// kindWord is the word for a kind of declaration.
func kindWord(kind string) string {
	switch kind {
	case "":
		return "declaration"
	case "func":
		return "function"
	case "var":
		return "variable"
	case "const":
		return "constant"
	}
	return kind
}

// with is the operation with one argument set; the original is left alone.
func (o Op) with(arg, value string) Op {
	args := map[string]string{arg: value}
	for k, v := range o.Args {
		if k != arg {
			args[k] = v
		}
	}
	return Op{Name: o.Name, Args: args}
}

// After is the target as it stands behind an operation's edits: the selected
// lines move with the text, so that the next operation points at the same thing.
func (t Target) After(src Source, edits []FileEdit) (Target, error) {
	for _, e := range edits {
		if t.From <= 0 || e.Path != t.File || e.Create || e.Delete {
			continue
		}
		b, err := src.Read(e.Path)
		if err != nil {
			return t, err
		}
		before := text.Of(b)
		cs, err := text.NewChangeSet(before.Len(), e.Changes...)
		if err != nil {
			return t, err
		}
		now, err := cs.Apply(before)
		if err != nil {
			return t, err
		}
		return t.moved(before, now, cs), nil
	}
	return t, nil
}

// moved counts lines from 1, as Target does; text counts them from 0.
func (t Target) moved(before, now text.Text, cs text.ChangeSet) Target {
	first, last := t.From-1, max(t.From, t.To)-1
	_, end := before.Line(last)
	t.From = now.LineAt(cs.MapPos(before.LineStart(first), 1)) + 1
	t.To = max(t.From, now.LineAt(cs.MapPos(end, -1))+1)
	return t
}
