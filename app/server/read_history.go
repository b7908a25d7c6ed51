package server

import (
	"context"
	"time"

	"waferpair/app/query"
	"waferpair/history"
	"waferpair/workspace/text"
)

type fileArgs struct {
	Path string         `json:"path"`
	At   history.EditID `json:"at"`
}

type fileAnswer struct {
	Exists bool   `json:"exists"`
	Text   string `json:"text"`
}

// readFile returns a file at a moment.
func readFile(ctx context.Context, o *opened, in fileArgs) (fileAnswer, error) {
	v, err := o.Query().Text(ctx, in.At, in.Path)
	if err != nil || !v.Exists || text.IsBinary(v.Bytes) {
		return fileAnswer{Exists: v.Exists}, err
	}
	return fileAnswer{true, shownBytes(v.Bytes)}, nil
}

// shownBytes decodes a file for the page.
func shownBytes(b []byte) string { return text.DetectEncoding(b).Shown(text.Of(b)) }

// readPast returns a file at a moment, and at those around it.
func readPast(ctx context.Context, o *opened, in fileArgs) (Past, error) {
	p, err := o.Query().Past(ctx, in.At, in.Path)
	if err != nil {
		return Past{}, err
	}
	out := Past{From: p.From, To: p.To, Exists: p.Exists, Text: p.Text, Steps: make([]PastStep, len(p.Steps))}
	for i, s := range p.Steps {
		out.Steps[i] = PastStep(s)
	}
	return out, nil
}

// Past is a file at every moment from one to another, both included: its text at the first
// moment, and the changes after it.
type Past struct {
	From   history.EditID `json:"from"`
	To     history.EditID `json:"to"`
	Exists bool           `json:"exists"`
	Text   string         `json:"text"`  // "" for a binary file
	Steps  []PastStep     `json:"steps"` // oldest first
}

// PastStep is an edit with its change of the shown text.
type PastStep struct {
	Edit    history.EditID `json:"edit"`
	Changes Changes        `json:"changes"`
}

type atArgs struct {
	At history.EditID `json:"at"`
}

type pathsAnswer struct {
	Paths []string `json:"paths"`
}

func readFilesAt(ctx context.Context, o *opened, in atArgs) (pathsAnswer, error) {
	paths, err := o.Query().FilesAt(ctx, in.At)
	return pathsAnswer{list(paths)}, err
}

type editArgs struct {
	ID history.EditID `json:"id"`
}

// EditDetail is an edit without its content.
type EditDetail struct {
	ID         history.EditID   `json:"id"`
	Path       string           `json:"path"`
	To         string           `json:"to"`
	Kind       string           `json:"kind"`
	Author     history.Author   `json:"author"`
	Turn       history.TurnID   `json:"turn"`
	Time       int64            `json:"time"`
	Note       string           `json:"note"`
	Added      int              `json:"added"`
	Removed    int              `json:"removed"`
	Partial    bool             `json:"partial"`
	RevertedBy history.EditID   `json:"revertedBy"`
	Reverts    []history.EditID `json:"reverts"`
}

func readEdit(ctx context.Context, o *opened, in editArgs) (EditDetail, error) {
	d, err := o.History().Get(ctx, in.ID)
	if err != nil {
		return EditDetail{}, err
	}
	e := d.Edit
	return EditDetail{
		ID: e.ID, Path: e.Path, To: e.To, Kind: string(e.Kind), Author: e.Author, Turn: e.Turn,
		Time: unixMilli(e.Time), Note: e.Note, Added: e.Added, Removed: e.Removed, Partial: e.Partial,
		RevertedBy: e.RevertedBy, Reverts: list(e.Reverts),
	}, nil
}

// unixMilli converts a time for the page; 0 for none.
func unixMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// DiffQuery selects one of: an edit, a turn, two moments, all pending edits.
type DiffQuery struct {
	Edit   history.EditID  `json:"edit,omitempty"`
	Turn   history.TurnID  `json:"turn,omitempty"`
	From   *history.EditID `json:"from,omitempty"`
	To     *history.EditID `json:"to,omitempty"`
	Review bool            `json:"review,omitempty"`
}

type diffArgs struct {
	DiffQuery
	Path string `json:"path"`
}

func (d DiffQuery) request(path string) query.DiffRequest {
	r := query.DiffRequest{Edit: d.Edit, Turn: d.Turn, Review: d.Review, Path: path}
	if d.From != nil || d.To != nil {
		r.Range = &query.MomentRange{To: history.Newest}
		if d.From != nil {
			r.Range.From = *d.From
		}
		if d.To != nil {
			r.Range.To = *d.To
		}
	}
	return r
}

// DiffFile counts the differing lines of a file.
type DiffFile struct {
	Path    string   `json:"path"`
	To      string   `json:"to"` // moved here
	Kind    DiffKind `json:"kind"`
	Added   int      `json:"added"`
	Removed int      `json:"removed"`
}

// DiffKind is the kind of change of a file.
type DiffKind string

const (
	DiffChanged DiffKind = "changed"
	DiffCreated DiffKind = "created"
	DiffDeleted DiffKind = "deleted"
	DiffMoved   DiffKind = "moved"
)

type diffsAnswer struct {
	Files []DiffFile `json:"files"`
}

func readDiffs(ctx context.Context, o *opened, in DiffQuery) (diffsAnswer, error) {
	files, err := o.Query().Diffs(ctx, in.request(""))
	out := diffsAnswer{Files: []DiffFile{}}
	for _, f := range files {
		out.Files = append(out.Files, DiffFile{f.Path, f.To, DiffKind(f.Kind), f.Added, f.Removed})
	}
	return out, err
}

// DiffText has both sides of a file.
type DiffText struct {
	Before *string `json:"before"` // null: the file did not exist
	After  *string `json:"after"`
}

func readDiff(ctx context.Context, o *opened, in diffArgs) (DiffText, error) {
	if in.Path == "" {
		return DiffText{}, usage("Name the file to compare.")
	}
	files, err := o.Query().Diffs(ctx, in.request(in.Path))
	if err != nil || len(files) == 0 {
		return DiffText{}, err
	}
	return DiffText{files[0].Before, files[0].After}, nil
}

// HistorySize is the size of the history on disk, and its limit.
type HistorySize struct {
	Total     int64 `json:"total"`     // bytes of all files
	Counted   int64 `json:"counted"`   // the part that the limit applies to
	Cap       int64 `json:"cap"`       // 0: no limit
	Edits     int64 `json:"edits"`     // number of edits
	Reclaimed int64 `json:"reclaimed"` // edits whose content was dropped because of the limit
}

func readSize(ctx context.Context, o *opened, _ none) (HistorySize, error) {
	z, err := o.History().Size(ctx)
	return HistorySize{z.Total, z.Counted, z.Cap, z.Edits, z.Reclaimed}, err
}
