package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"waferpair/engine"
	"waferpair/engine/editstream"
	"waferpair/engine/model"
)

// What becomes of calls: apply_patch edits as it arrives (flow), read and list are carried out at
// their end, and everything else has an output that says what is wrong with it.

// ended records the end of an item whose text holds no edits, and carries out a call.
func (g *generation) ended(d model.End) error {
	cut := d.Item.Status == model.Incomplete
	if t := g.said[d.At]; t != nil {
		if _, rest := t.Close(); !cut || !t.Inside {
			g.prose(rest)
		}
		if i, _, _ := g.output.Item(d.At); !cut {
			g.learnThought(editstream.EndsThought(i.Text()), t.Inside)
		}
	}
	if g.output.Kind(d.At).IsCall() {
		d.Item.Status = completeIf(cut, d.Item.Status)
	}
	if err := g.record(d); err != nil {
		return err
	}
	i, _, ok := g.output.Item(d.At)
	switch {
	case !ok || !i.Kind.IsCall():
	case cut:
		g.answer(i, atItsLimit+notBegun)
	default:
		g.answer(i, g.carryOutCall(i))
	}
	return nil
}

// carryOutCall returns the output of a call of a tool that does not edit.
func (g *generation) carryOutCall(i model.Item) string {
	if _, known := runs[i.Name]; !known || !slices.ContainsFunc(g.prompt.Tools, func(t model.Tool) bool {
		return t.Name == i.Name
	}) {
		words := g.unknown(i)
		g.host.Emit(engine.Called{Tool: shown(i.Name), Failed: words})
		return words
	}
	about := about(i)
	g.host.Emit(engine.Working{Phase: model.Tools, Note: i.Name + " " + about})
	defer func(since time.Time) { g.clock.tool(time.Since(since)) }(time.Now())
	out, err := run(context.Background(), g.prompt.Files, i)
	called := engine.Called{Tool: i.Name, About: about}
	if err != nil {
		called.Failed = err.Error()
		out = fmt.Sprintf("%s failed: %v", i.Name, err)
	}
	g.host.Emit(called)
	return out
}

// about returns what a call asks for, in words; "" when its arguments cannot be read.
func about(i model.Item) string {
	var args struct {
		Path string
		From int
		To   int
	}
	if json.Unmarshal([]byte(i.Input), &args) != nil {
		return ""
	}
	words := args.Path
	switch {
	case args.From > 0 && args.To > 0:
		words += fmt.Sprintf(" lines %d-%d", args.From, args.To)
	case args.From > 0:
		words += fmt.Sprintf(" from line %d", args.From)
	case args.To > 0:
		words += fmt.Sprintf(" lines 1-%d", args.To)
	}
	return shown(words)
}

// shown shortens words of a model.
func shown(words string) string {
	const most = 200
	if len(words) > most {
		words = strings.ToValidUTF8(words[:most], "") + "..."
	}
	return words
}

// answer keeps the output of a call until the answer ends.
func (g *generation) answer(call model.Item, words string) {
	g.outputs = append(g.outputs, call.Answer(words))
}

// recordOutputs records the outputs of the calls, after all items of the answer.
func (g *generation) recordOutputs() error {
	for _, i := range g.outputs {
		if err := g.recordWhole(i); err != nil {
			return err
		}
	}
	g.outputs = nil
	return nil
}

// unknown returns the output of a call of an unknown tool.
func (g *generation) unknown(i model.Item) string {
	var names []string
	for _, t := range g.prompt.Tools {
		names = append(names, t.Name)
	}
	if g.prompt.ReadOnly && i.Name == model.ApplyPatch {
		return "The user asked a question: nothing is edited. Answer in words."
	}
	if len(names) == 0 {
		return fmt.Sprintf("There is no tool %q: there are none.", shown(i.Name))
	}
	return fmt.Sprintf("There is no tool %q: there is %s.", shown(i.Name), strings.Join(names, ", "))
}

// errCrowded refuses a call beyond maxCalls.
var errCrowded = fmt.Errorf("an answer may have %d calls at most", maxCalls)

// crowds counts the calls of an answer. The first one beyond the bound ends the answer.
func (g *generation) crowds(i model.Item) bool {
	if !i.Kind.IsCall() {
		return false
	}
	if g.crowded = g.language && g.calls >= maxCalls; g.crowded {
		g.cancel()
		return true
	}
	g.calls++
	return false
}

// crowd ends an answer with too many calls, and tells the model.
func (g *generation) crowd() (then, error) {
	if err := g.cut(errCrowded.Error()); err != nil {
		return then{}, err
	}
	i := model.User(fmt.Sprintf("Your answer was cut after %d calls; these were carried out. "+
		"Go on with fewer calls in each answer.", maxCalls))
	i.Role = model.RoleDeveloper
	return then{more: true}, g.recordWhole(i)
}
