package items

import (
	"encoding/json"
	"slices"

	"waferpair/app/parts"
	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/history"
)

// Landed returns the edits of a turn's answers that are in place, as the model wrote them: a turn
// that goes on with them must not make them again.
func Landed(items []history.Item) (out []editstream.Hunk) {
	states := map[int]parts.HunkState{} // by the number in the turn
	files := map[engine.Event]bool{}    // what became of whole files
	bodies := make([]body, len(items))
	for i, it := range items {
		if json.Unmarshal(it.Body, &bodies[i]) != nil {
			bodies[i] = body{}
		}
		for _, o := range bodies[i].Outcomes {
			switch o.Type {
			case hunk:
				states[o.Hunk] = o.Status
			case event:
				for _, ev := range o.events("") {
					switch ev.(type) {
					case engine.FileDeleted, engine.FileMoved:
						files[ev] = true
					}
				}
			}
		}
	}
	base := 0
	for _, b := range bodies {
		if parserOf(b) == nil {
			continue
		}
		// the last line of a hunk that was cut has not come, also in a call, which is complete as an item
		whole, last := editstream.Hunks(parserOf(b), []byte(b.text()), true)
		cut, _ := editstream.Hunks(parserOf(b), []byte(b.text()), false)
		for n := 1; n <= last; n++ {
			h, ok := whole[n]
			if ok && (h.Op == editstream.Delete || h.MoveTo != "") {
				if files[engine.FileDeleted{Path: h.Path}] && h.MoveTo == "" ||
					files[engine.FileMoved{Path: h.Path, To: h.MoveTo}] {
					out = append(out, h)
				}
				continue
			}
			switch states[base+n] {
			case parts.Done:
			case parts.Partial, parts.Open: // open when the program was killed: some of it may be in place
				h, ok = cut[n]
				h.Partial = true
			case parts.Refused:
				ok = false
			default: // it never began
				ok = false
			}
			if ok {
				out = append(out, h)
			}
		}
		base += last
	}
	return out
}

// Last returns the last text of a turn in which its model wrote edits, as far as it came, and whether
// it is the input of a call; "" when there is none.
func Last(items []history.Item) (text string, call bool) {
	for _, it := range slices.Backward(items) {
		var b body
		if json.Unmarshal(it.Body, &b) == nil && parserOf(b) != nil {
			return b.text(), b.Type != model.Message
		}
	}
	return "", false
}

// parserOf returns a parser of a text in which a model edits; nil for other items.
func parserOf(b body) editstream.Parser {
	switch {
	case b.Type == model.Message && b.Role == model.RoleAssistant,
		b.Type == model.CustomCall && b.Name == model.ApplyPatch: // models put other formats there, too
		return editstream.NewAuto()
	}
	return nil
}
