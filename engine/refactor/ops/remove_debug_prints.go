package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/kit"
)

// printer is the hook of a language that knows its prints.
type printer interface {
	// Prints are those of a file, in the order of the source.
	Prints(f *kit.File) ([]kit.Print, error)
	// LastUses are those of some statements without which a variable would have no use at all,
	// where the language rejects that, with the variable.
	LastUses(f *kit.File, gone []*kit.Node) (map[*kit.Node]string, error)
}

// removeDebugPrints removes the prints of a function, of the selected lines or of the file that
// are evidently there for debugging. Where none is, the request has to say which it means.
func removeDebugPrints(j *kit.Job) error {
	gone, doubts := 0, []doubtful(nil)
	if j.Arg("func") == "" {
		f, err := j.TargetFile()
		if err != nil {
			return err
		}
		if gone, doubts, err = removePrints(j, f, f.Root()); err != nil {
			return err
		}
	} else {
		ds, err := j.Subject("func")
		if err != nil {
			return err
		}
		for _, d := range ds {
			fn := d.Func()
			if fn == nil || fn.Get("body") == nil {
				return j.Declined("%s (%s) is no function with a body", d.Title, d.Place())
			}
			g, u, err := removePrints(j, d.File, fn)
			if err != nil {
				return err
			}
			gone, doubts = gone+g, append(doubts, u...)
		}
	}
	switch {
	case gone == 0 && len(doubts) > 0:
		return whichPrints(j, doubts)
	case gone == 0 && len(j.Notes) > 0:
		return j.Declined("there are no debug prints that can be removed (%s)", strings.Join(j.Notes, " "))
	case gone == 0:
		return j.Already("there are no debug prints in %s", cmp.Or(j.Arg("func"), j.Target.File))
	}
	for _, d := range doubts {
		j.Note("%s: kept, because nothing shows that it is for debugging.", d.f.Place(d.n.From))
	}
	j.Promise.Removes = true
	j.Say("Removed %s.", kit.Plural(gone, "debugging print"))
	return nil
}

// doubtful is a print that may be what the program is for.
type doubtful struct {
	f *kit.File
	n *kit.Node
}

// removePrints removes those in a node and counts them.
func removePrints(j *kit.Job, f *kit.File, within *kit.Node) (gone int, doubts []doubtful, err error) {
	all, err := j.Syntax.(printer).Prints(f)
	if err != nil {
		return 0, nil, err
	}
	all = slices.DeleteFunc(all, func(p kit.Print) bool {
		out := !within.Covers(p.Node.From, p.Node.To) || !j.Touches(f, p.Node) || !asked(j, f, p)
		if !out && p.Keep != "" {
			j.Note("%s: kept, because %s.", f.Place(p.Node.From), p.Keep)
		}
		return out || p.Keep != ""
	})
	named := j.Arg("which") != "" || j.Target.From > 0 && len(all) == 1
	var nodes []*kit.Node
	for _, p := range all {
		if named || p.Evident(f) {
			nodes = append(nodes, p.Node)
		} else {
			doubts = append(doubts, doubtful{f, p.Node})
		}
	}
	last, err := j.Syntax.(printer).LastUses(f, nodes)
	if err != nil {
		return 0, nil, err
	}
	nodes = slices.DeleteFunc(nodes, func(n *kit.Node) bool {
		if last[n] != "" {
			j.Note("%s: kept, because nothing else uses %s.", f.Place(n.From), last[n])
		}
		return last[n] != ""
	})
	j.RemoveStatements(f, nodes)
	return len(nodes), doubts, nil
}

// asked leaves out what the request does not name: which=console.log is about those.
func asked(j *kit.Job, f *kit.File, p kit.Print) bool {
	which := j.Arg("which")
	if which == "" || which == "all" {
		return true
	}
	code := p.Node.Code()
	return len(code) == 1 && f.Text(code[0].Get("function")) == which
}

// whichPrints asks, with the lines as choices.
func whichPrints(j *kit.Job, doubts []doubtful) error {
	var places, near []string
	for _, d := range doubts {
		places = append(places, d.f.Place(d.n.From)+" "+kit.OneLine(d.f.Text(d.n)))
		near = append(near, fmt.Sprintf("remove the debug prints on line %d of %s", d.f.LineOf(d.n.From), d.f.Path))
	}
	near = near[:min(len(near), 3)]
	if f := j.Arg("func"); f != "" {
		near = append(near, "remove all print statements from "+f)
	}
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: j.Op.String(), Nearest: near,
		Reason: "nothing shows that " + refactor.Few(places) + " is there for debugging; say which lines are"}
}
