package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"waferpair/history"
)

// Timeline is everything that happened on the current fork, in columns: entry i
// of each is about the same edit, oldest first.
type Timeline struct {
	IDs     []history.EditID `json:"ids"`
	Times   []int64          `json:"times"`   // milliseconds since 1970
	Authors []int8           `json:"authors"` // index into AuthorNames
	Turns   []history.TurnID `json:"turns"`   // 0: outside any turn
	Paths   []int32          `json:"paths"`   // index into PathNames
	Added   []int32          `json:"added"`   // lines
	Removed []int32          `json:"removed"`
	Kinds   []int8           `json:"kinds"` // index into KindNames
	Flags   []int8           `json:"flags"` // FlagPartial, ...

	AuthorNames []history.Author `json:"authorNames"`
	KindNames   []history.Kind   `json:"kindNames"`
	PathNames   []string         `json:"pathNames"`

	// Undone are all edits that are taken back now, also those that are not among
	// the entries: an edit of long ago can be reverted at any time.
	Undone  []history.EditID `json:"undone"`
	Bands   []TurnBand       `json:"bands"`
	Moments []history.Moment `json:"moments"`
	Head    history.EditID   `json:"head"`
	Start   int64            `json:"start"` // when the history begins, milliseconds since 1970
	Fork    string           `json:"fork"`
	Forks   []ForkInfo       `json:"forks"`
}

// The bits of Timeline.Flags.
const (
	FlagPartial  = 1  // cut in mid-hunk
	FlagReverted = 2  // taken back, and that is in force
	FlagReverts  = 4  // it takes edits back itself
	FlagPurged   = 8  // its content was removed
	FlagRenames  = 16 // it changes what another path holds too
)

// TurnBand is a turn of the current fork on the timeline.
type TurnBand struct {
	Turn    history.TurnID    `json:"turn"`
	Session history.SessionID `json:"session"`
	Request string            `json:"request"` // the beginning of it
	Status  string            `json:"status"`
	First   history.EditID    `json:"first"` // 0: it has no edits
	Last    history.EditID    `json:"last"`
	Started int64             `json:"started"`
	Ended   int64             `json:"ended"` // 0: it runs
}

// ForkInfo is a line of edits.
type ForkInfo struct {
	Name    string         `json:"name"`
	Parent  string         `json:"parent"`
	At      history.EditID `json:"at"` // the last edit that it shares with its parent
	Head    history.EditID `json:"head"`
	Current bool           `json:"current"`
}

// maxBandRequest is how much of a request a band shows.
const maxBandRequest = 120

// Timeline returns the edits after one; 0 returns all. The bands are those of all
// turns that ran since, and of all when after is 0.
func (c Core) Timeline(ctx context.Context, after history.EditID) (Timeline, error) {
	cols, err := c.History.Columns(ctx)
	if err != nil {
		return Timeline{}, err
	}
	t := columnsAfter(cols, after)
	if t.Bands, err = c.bands(ctx, cols, after); err != nil {
		return t, err
	}
	if t.Moments, err = c.History.Moments(ctx); err != nil {
		return t, err
	}
	return t, c.addForks(ctx, &t)
}

func columnsAfter(c history.Columns, after history.EditID) Timeline {
	n, found := slices.BinarySearch(c.IDs, after)
	if found {
		n++
	}
	t := Timeline{IDs: c.IDs[n:], Times: c.Times[n:], Authors: c.Authors[n:], Turns: c.Turns[n:], Paths: c.Paths[n:],
		Added: c.Added[n:], Removed: c.Removed[n:], Kinds: c.Kinds[n:], Flags: flags(c, n),
		AuthorNames: history.AuthorNames(), KindNames: history.KindNames(), PathNames: c.Names, Undone: c.Undone}
	if len(c.IDs) > 0 {
		t.Head, t.Start = c.IDs[len(c.IDs)-1], c.Times[0]
	}
	return t
}

// flags translates the stored bits and adds what follows from reverts.
func flags(c history.Columns, from int) []int8 {
	reverts := int8(slices.Index(history.AuthorNames(), history.Revert))
	out := make([]int8, len(c.IDs)-from)
	undone := c.Undone
	for i := range out {
		id, stored := c.IDs[from+i], c.Flags[from+i]
		for len(undone) > 0 && undone[0] < id {
			undone = undone[1:]
		}
		if stored&history.FlagPartial != 0 {
			out[i] |= FlagPartial
		}
		if stored&history.FlagPurged != 0 {
			out[i] |= FlagPurged
		}
		if len(undone) > 0 && undone[0] == id {
			out[i] |= FlagReverted
		}
		if c.Authors[from+i] == reverts {
			out[i] |= FlagReverts
		}
		if c.To[from+i] >= 0 {
			out[i] |= FlagRenames
		}
	}
	return out
}

// bands are the turns of all sessions on this fork, with their edits.
func (c Core) bands(ctx context.Context, cols history.Columns, after history.EditID) ([]TurnBand, error) {
	turns, err := c.History.AllTurns(ctx)
	if err != nil {
		return nil, err
	}
	first, last := extents(cols)
	known := turnBefore(cols, after)
	var out []TurnBand
	for _, t := range turns {
		if t.ID < known && last[t.ID] <= after { // it had ended before that one began
			continue
		}
		out = append(out, TurnBand{Turn: t.ID, Session: t.Session, Request: beginning(t.Request), Status: t.Status,
			First: first[t.ID], Last: last[t.ID], Started: t.Started.UnixMilli(), Ended: milli(t.Ended)})
	}
	return out, nil
}

// beginning is what a band shows of a request.
func beginning(request string) string {
	line, _, _ := strings.Cut(request, "\n")
	r := []rune(line)
	return string(r[:min(len(r), maxBandRequest)])
}

// turnBefore is the newest turn that has an edit up to the given one: it may have
// ended since. Turns go by their numbers: the clock may have been set back.
func turnBefore(c history.Columns, after history.EditID) (turn history.TurnID) {
	for i := 0; i < len(c.IDs) && c.IDs[i] <= after; i++ {
		turn = max(turn, c.Turns[i])
	}
	return turn
}

// extents are the first and the last edit of each turn.
func extents(c history.Columns) (first, last map[history.TurnID]history.EditID) {
	first, last = map[history.TurnID]history.EditID{}, map[history.TurnID]history.EditID{}
	for i, turn := range c.Turns {
		if turn == 0 || i > 0 && c.Turns[i-1] == turn && i+1 < len(c.Turns) && c.Turns[i+1] == turn {
			continue // inside a run of the same turn
		}
		if _, ok := first[turn]; !ok {
			first[turn] = c.IDs[i]
		}
		last[turn] = c.IDs[i]
	}
	return first, last
}

func milli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func (c Core) addForks(ctx context.Context, t *Timeline) error {
	all, err := c.History.Branches(ctx)
	for _, b := range all {
		t.Forks = append(t.Forks, ForkInfo{b.Name, b.Parent, b.At, b.Head, b.Current})
		if b.Current {
			t.Fork = b.Name
			t.Head = max(t.Head, b.Head)
		}
	}
	return err
}
