package spark

import (
	"regexp"
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// An operation with refactor.Spec.Forms needs no entry in the tables of phrases: its forms are
// both, what is understood and what is said back.

// formed are those operations.
func formed() []operation {
	var out []operation
	for _, spec := range refactor.Ops {
		if len(spec.Forms) > 0 {
			out = append(out, formOf(spec))
		}
	}
	return out
}

func formOf(spec refactor.Spec) operation {
	op := operation{name: spec.Name, say: func(a args) string { return sayForm(spec, a) }}
	for _, form := range spec.Forms {
		op.phrases = append(op.phrases, formSlot.ReplaceAllStringFunc(form, func(slot string) string {
			p, _ := spec.Param(slot[1 : len(slot)-1])
			return slotOf(p)
		}))
	}
	if p, ok := spec.Subject(); ok && p.Optional && spec.Scope == refactor.Lines {
		op.pointed = p.Name
	}
	return op
}

var (
	formSlot = regexp.MustCompile(`<(\w+)>`)
	formText = regexp.MustCompile(`<(\w+):quoted>`)
	formPart = regexp.MustCompile(`\[[^\]]*\]`)
)

// slotOf is the pattern of what may fill a parameter.
func slotOf(p refactor.Param) string {
	switch p.Sort {
	case refactor.Symbol:
		if p.Kinds != "param" { // a line does not say which of several is meant
			return "[@kind-word] <" + p.Name + ":thing> [@kind-word]"
		}
	case refactor.Word:
		var words []string
		for _, w := range strings.Fields(p.Kinds) {
			if w == "number" {
				words = append(words, "<"+p.Name+":number>")
			} else {
				words = append(words, w+" <"+p.Name+"="+w+">")
			}
		}
		if words == nil {
			return "<" + p.Name + ":number>"
		}
		return "(" + strings.Join(words, "|") + ")"
	case refactor.NewName:
		if p.Kinds == "flag" {
			return "<" + p.Name + ":flag>"
		}
	case refactor.TypeExpr:
		return "<" + p.Name + ":type>"
	case refactor.Expr:
		return "<" + p.Name + ":value>"
	case refactor.Prose:
		return "<" + p.Name + ":text>"
	case refactor.Path:
		return "<" + p.Name + ":file>"
	case refactor.Outside:
		return "<" + p.Name + ":sym>"
	}
	return "<" + p.Name + ":name>"
}

// sayForm is the first form that says every argument.
func sayForm(spec refactor.Spec, a args) string {
	for _, form := range spec.Forms {
		if s, ok := filled(spec, form, a); ok {
			return s
		}
	}
	return refactor.Op{Name: spec.Name, Args: a}.String()
}

// filled is the form with the arguments in it; ok is false when it lacks one, or they do.
func filled(spec refactor.Spec, form string, a args) (s string, ok bool) {
	form = formPart.ReplaceAllStringFunc(form, func(part string) string {
		if slices.ContainsFunc(formSlot.FindAllString(part, -1), func(s string) bool { return a[s[1:len(s)-1]] == "" }) {
			return ""
		}
		return part[1 : len(part)-1]
	})
	said, lacks := 0, false
	form = formText.ReplaceAllStringFunc(form, func(slot string) string {
		v := a[formText.FindStringSubmatch(slot)[1]]
		if v == "" {
			lacks = true
			return ""
		}
		said++
		return quoteText(v)
	})
	s = formSlot.ReplaceAllStringFunc(strings.Join(strings.Fields(form), " "), func(slot string) string {
		p, _ := spec.Param(slot[1 : len(slot)-1])
		if _, known := symbolOf(a[p.Name]); a[p.Name] == "" || p.Sort == refactor.Outside && !known {
			lacks = true
			return ""
		}
		said++
		return sayArg(p, a)
	})
	return s, !lacks && said == len(a)
}

func sayArg(p refactor.Param, a args) string {
	switch p.Sort {
	case refactor.TypeExpr, refactor.Expr, refactor.Path:
		return codeQuote(a[p.Name])
	case refactor.Prose:
		return quoteText(a[p.Name])
	case refactor.Word:
		return a[p.Name]
	case refactor.NewName:
		if v := a[p.Name]; p.Kinds == "flag" {
			return "--"[:min(len(v), 2)] + v // one letter has one dash
		}
	case refactor.Symbol, refactor.Outside:
	}
	return a.name(p.Name)
}
