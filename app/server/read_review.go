package server

import (
	"context"

	"waferpair/app"
	"waferpair/app/query"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// BlameRun is a run of lines that come from one edit.
type BlameRun struct {
	Line   int            `json:"line"` // from 1
	Lines  int            `json:"lines"`
	Edit   history.EditID `json:"edit"` // 0: as first seen; -1: not recorded yet
	Author history.Author `json:"author" or:"''"`
	Turn   history.TurnID `json:"turn"`
	Time   int64          `json:"time"`
}

type blameAnswer struct {
	Version int64      `json:"version"`
	Runs    []BlameRun `json:"runs"`
}

func readBlame(ctx context.Context, o *opened, in pathArgs) (blameAnswer, error) {
	runs, version, err := o.Query().Blame(ctx, in.Path)
	out := blameAnswer{Version: int64(version), Runs: []BlameRun{}}
	for _, r := range runs {
		out.Runs = append(out.Runs, BlameRun{r.From, r.Lines, r.Edit, r.Author, r.Turn, unixMilli(r.Time)})
	}
	return out, err
}

// ReviewHunk is a place at which a file differs from its accepted base.
type ReviewHunk struct {
	// the edits that made it, and those they meet elsewhere: they are accepted and reverted
	// together
	Edits   []history.EditID `json:"edits"`
	Turns   []history.TurnID `json:"turns"` // one for each edit
	Place   int              `json:"place"` // its index among the places with the same edits
	Path    string           `json:"path"`
	From    text.UTF16       `json:"from"` // in the document at version
	To      text.UTF16       `json:"to"`
	Removed string           `json:"removed"`
	Partial bool             `json:"partial"`
	Time    int64            `json:"time"`
}

type reviewAnswer struct {
	Version int64        `json:"version"`
	Hunks   []ReviewHunk `json:"hunks"`
}

func readReview(ctx context.Context, o *opened, in pathArgs) (reviewAnswer, error) {
	hunks, version, err := o.Query().Review(ctx, in.Path)
	if err != nil {
		return reviewAnswer{}, err
	}
	out := reviewAnswer{Version: int64(version), Hunks: []ReviewHunk{}}
	place := o.placer(ctx, in.Path, version)
	for _, h := range hunks {
		w := ReviewHunk{Edits: h.Edits, Turns: h.Turns, Place: h.Place, Path: h.Path, Removed: h.Removed, Partial: h.Partial,
			Time: unixMilli(h.Time)}
		w.From, w.To = place(h)
		out.Hunks = append(out.Hunks, w)
	}
	return out, nil
}

// placer converts the places of hunks to UTF-16 units. Review has done so for UTF-8, which
// nearly every file uses. Another encoding needs the text; if that has changed meanwhile, a
// page notices by the version.
func (o *opened) placer(ctx context.Context, path string,
	version workspace.Version) func(query.ReviewHunk) (from, to text.UTF16) {
	plain := func(h query.ReviewHunk) (from, to text.UTF16) { return h.FromUTF16, h.ToUTF16 }
	if path == "" {
		return plain
	}
	f, err := o.Show(ctx, path)
	if err != nil || f.Encoding == text.UTF8 {
		return plain
	}
	return func(h query.ReviewHunk) (from, to text.UTF16) {
		return placed(f, version, h.From), placed(f, version, h.To)
	}
}

func placed(f app.File, v workspace.Version, at text.Byte) text.UTF16 {
	if f.Version != v {
		return 0
	}
	return f.Encoding.ToShown(f.Text, min(at, f.Text.Len()))
}
