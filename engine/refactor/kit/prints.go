package kit

import (
	"slices"
	"strings"

	"waferpair/engine/refactor"
)

// Print is a statement that does nothing but print, or stop for a debugger.
type Print struct {
	Node  *Node
	Keep  string   // why it must stay, whatever it is for; "" if it may go
	Texts []string // what its literal arguments say
	Sure  bool     // it is of a sort that is for debugging and nothing else
	Shows bool     // it shows values under their own names, or as only a programmer reads them
	Tells bool     // it says an error, or something before the program or the function ends
}

// Evident reports whether a print is there for debugging: it says so, it is a call for nothing
// else, or it shows a value and tells the user nothing.
func (p Print) Evident(f *File) bool {
	if p.Sure || slices.ContainsFunc(p.Texts, refactor.DebugMark) {
		return true
	}
	end := p.Node.To
	if code := p.Node.Code(); len(code) > 0 { // a statement without a semicolon may hold the comment
		end = code[len(code)-1].To
	}
	behind := string(f.Src[end:f.LineEnd(end)])
	if i := strings.IndexAny(behind, "#/"); i >= 0 && refactor.DebugMark(strings.TrimLeft(behind[i:], "#/ ")) {
		return true
	}
	return p.Shows && !p.Tells
}

// RemoveStatements removes whole statements with their lines. A block that would be left empty
// gets the statement that stands for none, a branch without braces an empty block.
func (j *Job) RemoveStatements(f *File, gone []*Node) {
	for _, n := range gone {
		p := n.Parent
		code := p.Code()
		empty := !slices.ContainsFunc(code, func(k *Node) bool { return !slices.Contains(gone, k) })
		switch stands := j.Dialect().Empty; {
		case stands != "" && p.Is(Block) && empty && code[0] == n:
			j.Edits.Replace(f, n.From, f.LineEnd(n.To), stands)
		case !p.Holder():
			j.Edits.Replace(f, n.From, n.To, "{}")
		default:
			j.Edits.Replace(f, f.LineStart(n.From), f.NextLine(n.To), "")
		}
	}
}
