package query

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"waferpair/history"
)

// Timeline lists the edits of the current fork in columns: entry i of each column is about the same
// edit, oldest first.
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

	// Undone are the entries that are reverted now. If one of the edits after a given edit reverts
	// others, the list is complete (AllUndone), however long ago they were made.
	Undone    []history.EditID `json:"undone"`
	AllUndone bool             `json:"allUndone"`

	Bands   []TurnBand       `json:"bands"`
	Moments []history.Moment `json:"moments"`
	Head    history.EditID   `json:"head"`
	Earlier history.EditID   `json:"earlier"` // the newest edit before the entries; 0: none
	Start   int64            `json:"start"`   // the beginning of the history, milliseconds since 1970
	Fork    string           `json:"fork"`
	Forks   []ForkInfo       `json:"forks"`
}

// The bits of Timeline.Flags.
const (
	FlagPartial  = 1  // cut off in mid-hunk
	FlagReverted = 2  // reverted, and still so
	FlagReverts  = 4  // it reverts edits itself
	FlagPurged   = 8  // its content was purged
	FlagRenames  = 16 // it also changes the content of another path
)

// TurnBand is a turn of the current fork on the timeline.
type TurnBand struct {
	Turn    history.TurnID    `json:"turn"`
	Session history.SessionID `json:"session"`
	Request string            `json:"request"` // its beginning
	Status  string            `json:"status"`
	First   history.EditID    `json:"first"` // its first edit among the entries; 0: none
	Last    history.EditID    `json:"last"`
	Started int64             `json:"started"`
	Ended   int64             `json:"ended"` // 0: it is running
}

// ForkInfo is a line of edits.
type ForkInfo struct {
	Name    string         `json:"name"`
	Parent  string         `json:"parent"`
	At      history.EditID `json:"at"` // the last edit that it shares with its parent
	Head    history.EditID `json:"head"`
	Current bool           `json:"current"`
}

// maxBandRequest bounds the part of a request that a band shows.
const maxBandRequest = 120

// Timeline returns a part of the timeline: with Earlier, an answer names the end of the part before
// it. The bands are those of turns with edits in this part, and of the newest turns, which may have
// ended since.
func (c Core) Timeline(ctx context.Context, p history.Page) (Timeline, error) {
	cols, earlier, err := c.History.Page(ctx, p)
	if err != nil {
		return Timeline{}, err
	}
	t := columns(cols)
	t.Earlier = earlier
	if t.AllUndone = p.After > 0 && takesBack(cols); t.AllUndone {
		if t.Undone, err = c.History.Undone(ctx); err != nil {
			return t, err
		}
	}
	if t.Start, err = c.History.Begun(ctx); err != nil {
		return t, err
	}
	if t.Bands, err = c.bands(ctx, cols); err != nil {
		return t, err
	}
	if t.Moments, err = c.History.Moments(ctx); err != nil {
		return t, err
	}
	return t, c.addForks(ctx, &t)
}

func columns(c history.Columns) Timeline {
	t := Timeline{IDs: c.IDs, Times: c.Times, Authors: c.Authors, Turns: c.Turns, Paths: c.Paths,
		Added: c.Added, Removed: c.Removed, Kinds: c.Kinds, Flags: flags(c),
		AuthorNames: history.AuthorNames(), KindNames: history.KindNames(), PathNames: c.Names, Undone: c.Undone}
	if n := len(c.IDs); n > 0 {
		t.Head = c.IDs[n-1]
	}
	return t
}

// takesBack reports whether one of the edits may revert older ones.
func takesBack(c history.Columns) bool {
	revert, recovery := numberOf(history.Revert), numberOf(history.Recovery)
	return slices.Contains(c.Authors, revert) || slices.Contains(c.Authors, recovery)
}

func numberOf(a history.Author) int8 { return int8(slices.Index(history.AuthorNames(), a)) }

// flags converts the stored bits and adds those that follow from reverts.
func flags(c history.Columns) []int8 {
	reverts := numberOf(history.Revert)
	out := make([]int8, len(c.IDs))
	undone := c.Undone
	for i := range out {
		id, stored := c.IDs[i], c.Flags[i]
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
		if c.Authors[i] == reverts {
			out[i] |= FlagReverts
		}
		if c.To[i] >= 0 {
			out[i] |= FlagRenames
		}
	}
	return out
}

// newestBands is the number of newest turns in every answer.
const newestBands = 100

// bands returns the turns of this fork, with their edits among the columns.
func (c Core) bands(ctx context.Context, cols history.Columns) ([]TurnBand, error) {
	first, last := extents(cols)
	turns, err := c.History.TurnsAmong(ctx, slices.Collect(maps.Keys(first)), newestBands)
	if err != nil {
		return nil, err
	}
	out := make([]TurnBand, len(turns))
	for i, t := range turns {
		out[i] = TurnBand{Turn: t.ID, Session: t.Session, Request: beginning(t.Request), Status: t.Status,
			First: first[t.ID], Last: last[t.ID], Started: t.Started.UnixMilli(), Ended: milli(t.Ended)}
	}
	return out, nil
}

// beginning returns the part of a request that a band shows.
func beginning(request string) string {
	line, _, _ := strings.Cut(request, "\n")
	r := []rune(line)
	return string(r[:min(len(r), maxBandRequest)])
}

// extents returns the first and the last edit of each turn.
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
