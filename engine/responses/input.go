package responses

import (
	"encoding/json"
	"slices"
	"strings"

	"waferpair/engine/model"
)

// input returns the items that a server gets from an index of the prompt on, and the index
// of each.
func input(items []model.Item, first int, d Dialect) (out []model.Item, from []int) {
	custom := map[string]bool{} // ids of freeform calls that go out as functions
	for n, i := range items[first:] {
		if w, ok := wire(i, d, custom); ok {
			out, from = append(out, w), append(from, first+n)
		}
	}
	return out, from
}

// wire returns the form of an item that a server takes; false for one that it must not get.
func wire(i model.Item, d Dialect, custom map[string]bool) (model.Item, bool) {
	if !strings.HasPrefix(i.ID, prefixes[i.Kind]) {
		i.ID = "" // another server's
	}
	switch i.Kind {
	case model.Reasoning:
		return i, sendable(i, d)
	case model.Message:
		if IsInstruction(i) && !d.Developer {
			i.Role = model.RoleUser
		}
		i.Parts = withoutOpaque(i.Parts)
		if i.Role != model.RoleAssistant {
			i.Status = ""
		}
		return i, true
	case model.CustomCall:
		if d.Freeform {
			return i, true
		}
		custom[i.CallID] = true
		return AsFunction(i), true
	case model.FunctionCall, model.FunctionOutput: // as they are
	case model.CustomOutput:
		if !d.Freeform && custom[i.CallID] {
			i.Kind = model.FunctionOutput
		}
	}
	if i.Kind.IsOutput() {
		i.Status = ""
	}
	return i, true
}

// prefixes begin the ids of items. A server refuses ids that begin otherwise.
var prefixes = map[model.Kind]string{model.Message: "msg_", model.Reasoning: "rs_", model.FunctionCall: "fc_",
	model.CustomCall: "ctc_", model.FunctionOutput: "fco_", model.CustomOutput: "ctco_"}

// sendable reports whether reasoning goes back to a server: one that encrypts it takes only
// that, others take the text. A reasoning that was cut is of no use.
func sendable(i model.Item, d Dialect) bool {
	if i.Status == model.Incomplete {
		return false
	}
	var of struct {
		Encrypted string `json:"encrypted_content"`
	}
	if len(i.Opaque) > 0 && json.Unmarshal(i.Opaque, &of) != nil {
		return false
	}
	if d.Encrypted || of.Encrypted != "" {
		return d.Encrypted && of.Encrypted != ""
	}
	return slices.ContainsFunc(i.Parts, func(p model.Part) bool { return p.Kind == model.ReasoningText })
}

// withoutOpaque drops what a server adds to its texts: log probabilities and annotations,
// which it does not read again. An empty list of annotations is required there.
func withoutOpaque(parts []model.Part) []model.Part {
	out := slices.Clone(parts)
	for n := range out {
		if out[n].Kind == model.OutputText {
			out[n].Opaque = json.RawMessage(`{"annotations":[]}`)
		}
	}
	return out
}

// AsFunction returns a freeform call as the call of a function with one argument.
func AsFunction(i model.Item) model.Item {
	i.Kind, i.Input, i.ID, i.Opaque = model.FunctionCall, Arguments(i.Input), "", nil
	return i
}

// Arguments returns the arguments of a function for the input of a freeform tool.
func Arguments(input string) string { return "{" + Member("input", input) + "}" }
