package server

import "waferpair/app"

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
func wireParts(parts []app.TurnPart) []Part {
	out := make([]Part, 0, len(parts))
	for _, p := range parts {
		switch p.Kind {
		case app.PartProse, app.PartNote:
			out = append(out, partText{p.Kind, p.Text})
		case app.PartHunk:
			out = append(out, partHunk{p.Kind, p.Hunk, p.Path, p.Line, p.State, p.Added, p.Removed, p.Reason, p.Message})
		case app.PartFile:
			out = append(out, partFile{p.Kind, p.What, p.Path, p.To})
		case app.PartSteer:
			out = append(out, partSteer{p.Kind, p.Text, p.State, p.Hunk})
		}
	}
	return out
}
