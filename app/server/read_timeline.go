package server

import (
	"context"
	"slices"

	"waferpair/history"
)

// Timeline is all edits in columns: the n-th entry of each is the n-th edit, oldest
// first. Columns and names are those after the edit that was asked for; bands and
// moments are all there are.
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
	Flags       []int8           `json:"flags"` // 1 partial, 2 reverted, 4 a revert, 8 purged, 16 a rename (query.FlagPartial, ...)
	Bands       []TurnBand       `json:"bands"`
	Moments     []Moment         `json:"moments"`
	Head        history.EditID   `json:"head"`
	Start       int64            `json:"start"` // when the history begins, ms since 1970
}

// TurnBand is a turn on the timeline.
type TurnBand struct {
	Turn    history.TurnID    `json:"turn"`
	Session history.SessionID `json:"session"`
	Request string            `json:"request"` // the beginning of it
	Status  TurnStatus        `json:"status"`
	First   history.EditID    `json:"first"` // 0: it has no edits
	Last    history.EditID    `json:"last"`
	Started int64             `json:"started"`
	Ended   int64             `json:"ended"` // 0: running, or interrupted
}

// Moment is a moment that has a name.
type Moment struct {
	At   history.EditID `json:"at"`
	Name string         `json:"name"`
}

type timelineArgs struct {
	After history.EditID `json:"after"`
}

func readTimeline(ctx context.Context, o *opened, in timelineArgs) (Timeline, error) {
	t, err := o.Query().Timeline(ctx, 0)
	if err != nil {
		return Timeline{}, err
	}
	n, found := slices.BinarySearch(t.IDs, in.After)
	if found {
		n++
	}
	out := Timeline{
		IDs: list(t.IDs[n:]), Times: list(t.Times[n:]), Authors: list(t.Authors[n:]), AuthorNames: list(t.AuthorNames), Turns: list(t.Turns[n:]),
		Added: list(t.Added[n:]), Removed: list(t.Removed[n:]), Flags: list(t.Flags[n:]),
		Bands: make([]TurnBand, len(t.Bands)), Moments: []Moment{}, Head: t.Head, Start: t.Start,
	}
	for i, b := range t.Bands {
		out.Bands[i] = TurnBand{b.Turn, b.Session, b.Request, TurnStatus(b.Status), b.First, b.Last, b.Started, b.Ended}
	}
	out.Paths, out.PathNames = namesOf(t.Paths[n:], t.PathNames)
	for _, m := range t.Moments {
		out.Moments = append(out.Moments, Moment{m.Edit, m.Name})
	}
	return out, nil
}

// namesOf numbers the names that are used anew, so that a few edits do not come
// with the names of all files.
func namesOf(paths []int32, names []string) ([]int32, []string) {
	number := map[int32]int32{}
	out, used := make([]int32, len(paths)), []string{}
	for i, p := range paths {
		n, ok := number[p]
		if !ok {
			n = int32(len(used))
			number[p], used = n, append(used, names[p])
		}
		out[i] = n
	}
	return out, used
}
