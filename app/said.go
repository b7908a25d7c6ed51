package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"waferpair/engine/model"
	"waferpair/engine/prompt"
	"waferpair/history"
)

// turnOf returns a turn, with what was said in it.
func turnOf(t history.Turn, said []model.Item) prompt.Turn {
	out := prompt.Turn{ID: int64(t.ID), Items: said}
	pointed(&out, t)
	return out
}

// pointed sets what the user pointed at in a turn, and what its prompt said about that.
func pointed(out *prompt.Turn, t history.Turn) {
	var s struct {
		File     string
		From, To int
		Mode     Mode
	}
	if json.Unmarshal(t.Settings, &s) != nil { // of another version: the turn's words are still useful
		return
	}
	out.Target, out.ReadOnly = model.Target{File: s.File, From: s.From, To: s.To}, s.Mode == ModeAsk
	out.Note = prompt.Note(out.Target, out.ReadOnly, "")
}

// said returns the items of a turn, as a model reads them again, and how it ended if it has no answer.
func said(t history.Turn) (out []model.Item) {
	out = readAgain(t)
	answered := slices.ContainsFunc(out, func(i model.Item) bool {
		return i.Kind.IsCall() || i.Kind == model.Message && i.Role == model.RoleAssistant && i.Text() != ""
	})
	if !answered && t.Message != "" {
		out = append(out, model.Assistant(fmt.Sprintf("(%s: %s)", t.Status, t.Message)))
	}
	return out
}

// readAgain returns the items of a turn, as a model reads them again: the user's words, the model's
// answers, calls with their outputs.
func readAgain(t history.Turn) (out []model.Item) {
	for _, it := range t.Items {
		var i model.Item
		if json.Unmarshal(it.Body, &i) != nil {
			continue
		}
		switch {
		case i.Kind == model.Message:
			kind := model.InputText
			if i.Role == model.RoleAssistant {
				kind = model.OutputText
			}
			out = append(out, model.Item{Kind: model.Message, Status: model.Complete, Role: i.Role,
				Parts: []model.Part{{Kind: kind, Text: i.Text()}}})
		case i.Kind.IsCall(), i.Kind.IsOutput():
			i.ID, i.Opaque, i.CallID = "", nil, cmp.Or(i.CallID, i.ID)
			out = append(out, i)
		}
	}
	return out
}
