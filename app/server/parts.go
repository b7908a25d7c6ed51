package server

import "waferpair/app/parts"

// Part is one of the parts below, as pages make them of a turn's events; Kind
// names it.
type Part = any

type (
	partText struct { // prose, or a note
		Kind string `json:"kind"`
		Text string `json:"text"`
	}
	partHunk struct {
		Kind    string `json:"kind"`
		Hunk    int    `json:"hunk"`
		Path    string `json:"path"`
		Line    int    `json:"line"`
		State   string `json:"state"`
		Added   int    `json:"added"`
		Removed int    `json:"removed"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
	}
	partFile struct {
		Kind string `json:"kind"`
		What string `json:"what"`
		Path string `json:"path"`
		To   string `json:"to"`
	}
	partSteer struct {
		Kind  string `json:"kind"`
		Text  string `json:"text"`
		State string `json:"state"`
		Hunk  int    `json:"hunk"`
	}
)

// wireParts leaves out kinds that a later version may have kept.
func wireParts(list []parts.Part) []Part {
	out := make([]Part, 0, len(list))
	for _, p := range list {
		switch p.Kind {
		case parts.Prose, parts.Note:
			out = append(out, partText{p.Kind, p.Text})
		case parts.Hunk:
			out = append(out, partHunk{p.Kind, p.Hunk, p.Path, p.Line, p.State, p.Added, p.Removed, p.Reason, p.Message})
		case parts.File:
			out = append(out, partFile{p.Kind, p.What, p.Path, p.To})
		case parts.Steer:
			out = append(out, partSteer{p.Kind, p.Text, p.State, p.Hunk})
		}
	}
	return out
}
