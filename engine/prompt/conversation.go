package prompt

import (
	"fmt"
	"slices"

	"waferpair/engine/model"
)

// repaired returns items that every provider accepts: each call has exactly one output, behind it,
// and each output a call. A turn that was killed leaves calls without one.
func repaired(items []model.Item) (out []model.Item) {
	open := map[string]bool{} // calls without an output
	answered := map[string]bool{}
	for _, i := range items {
		if i.Kind.IsOutput() {
			answered[i.CallID] = true
		}
	}
	for _, i := range items {
		switch {
		case i.Kind.IsCall():
			if i.CallID == "" || open[i.CallID] { // nothing can answer it
				continue
			}
			open[i.CallID] = true
			i.Status = model.Complete
			out = append(out, i)
			if !answered[i.CallID] {
				out = append(out, i.Answer("The turn ended before this call had a result."))
				delete(open, i.CallID)
			}
		case i.Kind.IsOutput():
			if !open[i.CallID] {
				continue
			}
			delete(open, i.CallID)
			out = append(out, i)
		case i.Kind == model.Reasoning && i.Status == model.Incomplete:
		case i.Kind == model.Message && i.Text() == "":
		default:
			if i.Status == model.Incomplete { // only a prompt's last item may be; the user sees that this one was cut
				i.Status = model.Complete
			}
			out = append(out, i)
		}
	}
	return out
}

// reopened returns items whose last one goes on: that of the model, without the output of its call.
func reopened(items []model.Item) []model.Item {
	n := len(items)
	for n > 0 && items[n-1].Kind.IsOutput() {
		n--
	}
	out := slices.Clone(items[:n])
	if n > 0 {
		out[n-1].Status = model.Incomplete
	}
	return out
}

// shortOutput is the size up to which an output stays: its replacement would not be shorter.
const shortOutput = 200

// withoutOutputs replaces the outputs of tools by a line that says so; cut says what is gone.
func withoutOutputs(items []model.Item) (out []model.Item, cut string) {
	n, bytes := 0, 0
	for _, i := range items {
		if size := len(i.Text()); i.Kind.IsOutput() && size > shortOutput {
			n, bytes = n+1, bytes+size
			i.Parts = []model.Part{{Kind: model.InputText,
				Text: fmt.Sprintf("[output of %d bytes left out to save room; call the tool again if you need it]", size)}}
		}
		out = append(out, i)
	}
	if n > 0 {
		cut = fmt.Sprintf("%d tool outputs (%d bytes): the prompt would be too long", n, bytes)
	}
	return out, cut
}
