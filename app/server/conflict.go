package server

import (
	"context"
	"strings"

	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// ThreeWay is a file in which later edits conflict with a revert.
type ThreeWay struct {
	Path    string           `json:"path"`
	Base    string           `json:"base"`   // right after the edit to revert
	Theirs  string           `json:"theirs"` // before that edit: the revert's result
	Mine    string           `json:"mine"`   // now
	Reason  string           `json:"reason"`
	Clashes []Clash          `json:"clashes"`
	Reverts []history.EditID `json:"reverts"`
	Doc     int64            `json:"doc"` // for resolve
	Version int64            `json:"version"`
}

// Clash is one place where a later edit conflicts.
type Clash struct {
	Edit history.EditID   `json:"edit"`
	By   []history.EditID `json:"by"`
	From int              `json:"from"` // lines of mine, from 1
	To   int              `json:"to"`
}

type conflictData struct {
	Files []ThreeWay `json:"files"`
}

// threeWays returns the current sides of all files with conflicts.
func (o *opened) threeWays(ctx context.Context, in revertArgs) ([]ThreeWay, error) {
	ids, err := o.planned(ctx, in)
	if err != nil {
		return nil, err
	}
	all, err := o.Conflicts(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]ThreeWay, len(all))
	for i, w := range all {
		if out[i], err = o.withVersion(ctx, w); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// withVersion adds the document and the version that the user will see.
func (o *opened) withVersion(ctx context.Context, w history.ThreeWay) (ThreeWay, error) {
	f, err := o.Show(ctx, w.Path)
	if err != nil {
		return ThreeWay{}, err
	}
	out := wireThreeWay(w)
	out.Doc, out.Version = f.ID, int64(f.Version)
	return out, nil
}

type threeWayArgs struct {
	Path  string           `json:"path"`
	Edits []history.EditID `json:"edits"`
}

// readThreeWay returns the current sides of one file after it changed while the user resolved the
// conflict. It writes nothing.
func readThreeWay(ctx context.Context, o *opened, in threeWayArgs) (ThreeWay, error) {
	if in.Path == "" || len(in.Edits) == 0 {
		return ThreeWay{}, usage("Name the file, and the edits to revert.")
	}
	w, err := o.ThreeWay(ctx, in.Path, in.Edits)
	if err != nil {
		return ThreeWay{}, err
	}
	return o.withVersion(ctx, w)
}

func wireThreeWay(w history.ThreeWay) ThreeWay {
	enc := text.DetectEncoding([]byte(w.Mine))
	shown := func(s string) string { return enc.Shown(text.OfString(s)) }
	out := ThreeWay{Path: w.Path, Base: shown(w.Base), Theirs: shown(w.Theirs), Mine: shown(w.Mine),
		Reverts: list(w.Edits), Clashes: []Clash{}}
	var reasons []string
	for _, c := range w.Clashes {
		out.Clashes = append(out.Clashes, Clash{Edit: c.Edit, By: list(c.By), From: c.New.From, To: c.New.To})
		reasons = append(reasons, c.String())
	}
	out.Reason = strings.Join(reasons, "\n")
	return out
}

type resolveArgs struct {
	Path    string           `json:"path"`
	Doc     int64            `json:"doc"`
	Base    int64            `json:"base"`
	Text    string           `json:"text"`
	Reverts []history.EditID `json:"reverts"`
}

// resolve writes the user's resolution of a conflict.
func resolve(_ *call, o *opened, in resolveArgs) (Done, error) {
	f, err := o.Show(o.ctx, in.Path)
	if err != nil {
		return Done{}, err
	}
	if f.ID != in.Doc {
		return Done{}, errStale
	}
	content, err := f.Encoding.Hidden(in.Text, f.Text)
	if err != nil {
		return Done{}, err
	}
	done, err := o.Resolve(o.ctx, f.Path, in.Doc, workspace.Version(in.Base), content, in.Reverts)
	return wireDone(done), err
}
