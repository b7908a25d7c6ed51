package server

import (
	"waferpair/app/parts"
	"waferpair/engine"
)

// Part is what the conversation shows of a turn: of the running one the page makes
// it of the events.
type Part interface{ part() }

type (
	partProse struct {
		Kind string `json:"kind" is:"prose"`
		Text string `json:"text"`
	}
	// HunkPart is an edit, also one that was not made.
	HunkPart struct {
		Kind    string    `json:"kind" is:"hunk"`
		Hunk    int       `json:"hunk"`
		Path    string    `json:"path"`
		Line    int       `json:"line"`
		State   HunkState `json:"state"`
		Added   int       `json:"added"`
		Removed int       `json:"removed"`
		Reason  string    `json:"reason"`  // why it was refused, in a word: missing, ambiguous, held, ...
		Message string    `json:"message"` // and in words
	}
	partFile struct {
		Kind string     `json:"kind" is:"file"`
		What FileChange `json:"what"`
		Path string     `json:"path"`
		To   string     `json:"to"`
	}
	partSteer struct {
		Kind  string            `json:"kind" is:"steer"`
		Text  string            `json:"text"`
		State engine.SteerState `json:"state"`
		Hunk  int               `json:"hunk"`
	}
	partNote struct {
		Kind string `json:"kind" is:"note"`
		Text string `json:"text"`
	}
)

func (partProse) part() {}
func (HunkPart) part()  {}
func (partFile) part()  {}
func (partSteer) part() {}
func (partNote) part()  {}

// HunkState is how far an edit has got.
type HunkState string

const (
	HunkOpen    HunkState = parts.Open
	HunkDone    HunkState = parts.Done
	HunkPartial HunkState = parts.Partial // cut off, and kept
	HunkRefused HunkState = parts.Refused
)

// wireParts leaves out kinds that a later version may have kept.
func wireParts(list []parts.Part) []Part {
	out := make([]Part, 0, len(list))
	for _, p := range list {
		switch p.Kind {
		case parts.Prose:
			out = append(out, partProse{parts.Prose, p.Text})
		case parts.Hunk:
			out = append(out, HunkPart{parts.Hunk, p.Hunk, p.Path, p.Line, HunkState(p.State), p.Added, p.Removed, p.Reason, p.Message})
		case parts.File:
			out = append(out, partFile{parts.File, FileChange(p.What), p.Path, p.To})
		case parts.Steer:
			out = append(out, partSteer{parts.Steer, p.Text, engine.SteerState(p.State), p.Hunk})
		case parts.Note:
			out = append(out, partNote{parts.Note, p.Text})
		}
	}
	return out
}
