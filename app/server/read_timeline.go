package server

import (
	"context"

	"waferpair/history"
)

// Timeline is a part of all edits in columns: the n-th entry of each is the n-th edit, oldest
// first. It has the bands of its edits and of the newest turns, and all named moments.
type Timeline struct {
	IDs         []history.EditID `json:"ids"`
	Times       []int64          `json:"times"`   // ms since 1970
	Authors     []int8           `json:"authors"` // index into authorNames
	AuthorNames []history.Author `json:"authorNames"`
	Turns       []history.TurnID `json:"turns"` // 0: none
	Paths       []int32          `json:"paths"` // index into pathNames
	PathNames   []string         `json:"pathNames"`
	Added       []int32          `json:"added"`
	Removed     []int32          `json:"removed"`
	// 1 partial, 2 reverted, 4 a revert, 8 purged, 16 a rename (query.FlagPartial, ...)
	Flags []int8     `json:"flags"`
	Bands []TurnBand `json:"bands"`
	// all edits that are reverted now, if one of the edits since the given one reverts others;
	// else null
	Undone  *[]history.EditID `json:"undone"`
	Moments []Moment          `json:"moments"`
	Head    history.EditID    `json:"head"`
	// the newest edit before these; pass it plus one as before to get the part that ends
	// there; 0: none
	Earlier history.EditID `json:"earlier"`
	Start   int64          `json:"start"` // the beginning of the history, ms since 1970
}

// TurnBand is a turn on the timeline.
type TurnBand struct {
	Turn    history.TurnID    `json:"turn"`
	Session history.SessionID `json:"session"`
	Request string            `json:"request"` // its beginning
	Status  TurnStatus        `json:"status"`
	First   history.EditID    `json:"first"` // its first edit in this part; 0: none
	Last    history.EditID    `json:"last"`
	Started int64             `json:"started"`
	Ended   int64             `json:"ended"` // 0: running, or interrupted
}

// Moment is a named moment.
type Moment struct {
	At   history.EditID `json:"at"`
	Name string         `json:"name"`
}

// timelineArgs select a part: the edits after one; or the newest edits, and then those before,
// part by part.
type timelineArgs struct {
	After  history.EditID `json:"after"`
	Before history.EditID `json:"before,omitempty"`
}

// The newest part is what a page draws first: its size does not depend on that of the history.
// The page reads the others once that is on the screen.
const (
	newestPart = 10_000
	olderPart  = 50_000
)

func (in timelineArgs) page() history.Page {
	switch {
	case in.After > 0:
		return history.Page{After: in.After}
	case in.Before > 0:
		return history.Page{Before: in.Before, Limit: olderPart}
	}
	return history.Page{Limit: newestPart}
}

func readTimeline(ctx context.Context, o *opened, in timelineArgs) (Timeline, error) {
	t, err := o.Query().Timeline(ctx, in.page())
	if err != nil {
		return Timeline{}, err
	}
	out := Timeline{
		IDs: list(t.IDs), Times: list(t.Times), Authors: list(t.Authors), AuthorNames: list(t.AuthorNames),
		Turns: list(t.Turns), Paths: list(t.Paths), Added: list(t.Added), Removed: list(t.Removed), Flags: list(t.Flags),
		Bands: make([]TurnBand, len(t.Bands)), Moments: []Moment{}, Head: t.Head, Earlier: t.Earlier, Start: t.Start,
		PathNames: list(t.PathNames),
	}
	if t.AllUndone {
		all := list(t.Undone)
		out.Undone = &all
	}
	for i, b := range t.Bands {
		out.Bands[i] = TurnBand{b.Turn, b.Session, b.Request, TurnStatus(b.Status), b.First, b.Last, b.Started, b.Ended}
	}
	for _, m := range t.Moments {
		out.Moments = append(out.Moments, Moment{m.Edit, m.Name})
	}
	return out, nil
}
