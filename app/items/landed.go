package items

import (
	"encoding/json"

	"waferpair/app/parts"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
	"waferpair/history"
)

// Landed returns the hunks of a turn's answers that are in place, as the model wrote them: a turn
// that goes on with them must not make them again.
func Landed(items []history.Item) (out []editstream.Hunk) {
	states := map[int]parts.HunkState{} // by the number in the turn
	bodies := make([]body, len(items))
	for i, it := range items {
		if json.Unmarshal(it.Body, &bodies[i]) != nil {
			bodies[i] = body{}
		}
		for _, o := range bodies[i].Outcomes {
			if o.Type == hunk {
				states[o.Hunk] = o.Status
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

// parserOf returns a parser of a text in which a model edits; nil for other items.
func parserOf(b body) editstream.Parser {
	switch {
	case b.Type == model.Message && b.Role == model.RoleAssistant,
		b.Type == model.CustomCall && b.Name == model.ApplyPatch: // models put other formats there, too
		return editstream.NewAuto()
	}
	return nil
}
