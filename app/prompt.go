package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"waferpair/engine/model"
	"waferpair/history"
)

// What a language model reads in a turn, oldest and steadiest first, so that providers find the
// beginning of the prompt in their caches:
//
//	how it works here, and how it edits      the same in every turn
//	AGENTS.md of the project                 the same until it is edited
//	which files there are                    names
//	the conversation                         earlier turns of the session, each as it was, and longer each time
//	files that the request is about          as they are now: the open one, and those that it names
//	the request
//
// Each part is bounded, and says when something of it is left out: the read and list tools show the
// rest. Files come from the turn's model.Source, so ignored files and those that may hold secrets are
// in none of it, and secrets in others are masked.

// Shares of a model's context, in bytes for each token of it.
const (
	bytesPerToken  = 3 // a careful guess: patches and code have more tokens than prose
	defaultContext = 128_000
	maxAgents      = 32 << 10
	maxNames       = 300
)

// promptItems returns the items of a language model's prompt, and which of them is the request. What
// cannot be read is left out: a turn without it is better than none.
func (p *turns) promptItems(ctx context.Context, files model.Source, r EditRequest, session history.SessionID,
	before history.TurnID, info model.Info) (out []model.Item, from int) {
	room := info.Context
	if room == 0 {
		room = defaultContext
	}
	room *= bytesPerToken
	b := promptBuilder{ctx: ctx, files: files, request: r}
	b.names, _ = files.Files(ctx) // without it there are no files to show
	out = append(out, developer(instructions(r.Mode)))
	if text := b.text("AGENTS.md", maxAgents); text != "" {
		out = append(out, developer("The project's AGENTS.md, which its owners wrote for you:\n\n"+text))
	}
	if names := b.listing(); names != "" {
		out = append(out, developer(names))
	}
	if session != 0 {
		out = append(out, p.conversation(ctx, session, before, room/3)...)
	}
	if about := b.about(room / 3); about != "" {
		out = append(out, developer(about))
	}
	return append(out, model.User(r.Text)), len(out)
}

func developer(words string) model.Item {
	i := model.User(words)
	i.Role = model.RoleDeveloper
	return i
}

// instructions say how a model works here.
func instructions(mode Mode) string {
	const both = "You are the model in Waferpair, a pair programmer for the project in the user's folder. " +
		"Paths are relative to the project folder. Secrets in files are replaced by <masked>: leave such text as it is."
	if mode == ModeAsk {
		return both + "\nThe user asks a question. Answer in Markdown, briefly. Name the places that show it as path:line, " +
			"with the file's own line numbers; look them up with read and list where you have these tools, and never guess " +
			"one. Nothing that you write is an edit."
	}
	return both + `
Do what the user asks with small, exact edits, and change nothing else. Look up what you need with read and list where
you have these tools. Edit with the tool apply_patch; if you have no such tool, write the patch in your answer. A patch:
*** Begin Patch
*** Update File: path/to/file
@@ a line above the change, whole, if its context alone is not unique
 a line that stays
-a line that goes
+a line that comes
*** Add File: path/to/new
+its lines
*** Delete File: path/to/old
*** End Patch
Copy the lines that stay or go exactly as the file has them, three around each change, without line numbers. Each hunk is
applied as you write it. Say in a sentence or two what you did; do not repeat the patch.`
}

// promptBuilder collects what a prompt shows of the project.
type promptBuilder struct {
	ctx     context.Context
	files   model.Source
	request EditRequest
	names   []string // sorted
}

// text returns the beginning of a file that models may read; "" when there is none.
func (b *promptBuilder) text(path string, limit int) string {
	if _, listed := slices.BinarySearch(b.names, path); !listed {
		return ""
	}
	raw, err := b.files.Read(path)
	if err != nil {
		return ""
	}
	if m, ok := b.files.(model.Masker); ok {
		raw = m.Masked(path, raw)
	}
	words := strings.ToValidUTF8(string(raw), "\uFFFD")
	if len(words) <= limit {
		return words
	}
	for limit > 0 && !utf8.RuneStart(words[limit]) {
		limit--
	}
	return words[:limit] + fmt.Sprintf("\n[%d more bytes are left out]\n", len(words)-limit)
}

// listing names the project's files, or the folders of a large project.
func (b *promptBuilder) listing() string {
	if len(b.names) == 0 {
		return ""
	}
	if len(b.names) <= maxNames {
		return "The files of the project:\n" + strings.Join(b.names, "\n")
	}
	counts := map[string]int{}
	var folders []string
	for _, name := range b.names {
		parts := strings.Split(name, "/")
		folder := strings.Join(parts[:min(2, len(parts)-1)], "/") + "/"
		if counts[folder]++; counts[folder] == 1 {
			folders = append(folders, folder)
		}
	}
	more := ""
	if n := len(folders) - maxNames; n > 0 {
		more, folders = fmt.Sprintf("\n[%d more folders]", n), folders[:maxNames]
	}
	for i, folder := range folders {
		folders[i] = fmt.Sprintf("%s (%d files)", folder, counts[folder])
	}
	return fmt.Sprintf("The project has %d files, in these folders:\n", len(b.names)) + strings.Join(folders, "\n") + more
}

// about shows the open file with what is selected in it, and the files that the request names.
func (b *promptBuilder) about(room int) string {
	var out strings.Builder
	t := b.request.Target
	show := func(path, why string) {
		text := b.text(path, room-out.Len())
		if text == "" || room-out.Len() < 200 {
			return
		}
		if b.request.Mode == ModeAsk {
			text = withNumbers(text)
		}
		fence := "```"
		for strings.Contains(text, fence) {
			fence += "`"
		}
		fmt.Fprintf(&out, "%s%s:\n%s\n%s\n%s\n\n", path, why, fence, strings.TrimSuffix(text, "\n"), fence)
	}
	if t.File != "" {
		why := ", which the user has open"
		if t.From > 0 {
			why = fmt.Sprintf(", in which the user selected lines %d to %d", t.From, t.To)
		}
		show(t.File, why)
	}
	for _, name := range b.named() {
		if name != t.File {
			show(name, "")
		}
	}
	return strings.TrimSuffix(out.String(), "\n\n")
}

// maxNamed bounds the files that a request is taken to name.
const maxNamed = 12

// named returns the files whose paths, or whose unique names, are words of the request.
func (b *promptBuilder) named() (out []string) {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(b.request.Text,
		func(r rune) bool { return strings.ContainsRune(" \t\n\"'`(),;:?!", r) }) {
		words[strings.TrimSuffix(strings.TrimPrefix(w, "./"), ".")] = true
	}
	base := map[string][]string{}
	for _, name := range b.names {
		if words[name] {
			out = append(out, name)
		} else if at := name[strings.LastIndexByte(name, '/')+1:]; words[at] {
			base[at] = append(base[at], name)
		}
	}
	for _, same := range base {
		if len(same) == 1 {
			out = append(out, same[0])
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxNamed)]
}

func withNumbers(text string) string {
	var out strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		fmt.Fprintf(&out, "%6d\t%s", n, line)
	}
	return out.String()
}

// maxTurnsBack bounds the turns of a conversation that are looked at.
const maxTurnsBack = 100

// conversation returns the items of the session's earlier turns, oldest first, as far as there is room:
// whole turns, because a call needs its output.
func (p *turns) conversation(ctx context.Context, session history.SessionID, before history.TurnID,
	room int) (out []model.Item) {
	all, err := p.sessions.store.Turns(ctx, session, before, maxTurnsBack)
	if err != nil {
		p.notice("the earlier conversation could not be read: " + err.Error())
		return nil
	}
	for _, t := range slices.Backward(all) {
		turn := said(t)
		if size(turn) > room { // old outputs first: what a file had then can be read again
			turn = withoutOutputs(turn)
		}
		if room -= size(turn); room < 0 {
			return append([]model.Item{developer("[Earlier turns of the conversation are left out.]")}, out...)
		}
		out = append(turn, out...)
	}
	return out
}

func size(turn []model.Item) (n int) {
	for _, i := range turn {
		n += len(i.Text())
	}
	return n
}

// withoutOutputs leaves out the long outputs of a turn's calls.
func withoutOutputs(turn []model.Item) []model.Item {
	const short = 500
	out := slices.Clone(turn)
	for n, i := range out {
		if words := i.Text(); i.Kind.IsOutput() && len(words) > short {
			out[n].Parts = []model.Part{{Kind: model.InputText,
				Text: fmt.Sprintf("[%d bytes are left out: call the tool again if you need them]", len(words))}}
		}
	}
	return out
}

// said returns the items of a turn, as a model reads them again: the user's words, the model's
// answers, calls with their outputs.
func said(t history.Turn) (out []model.Item) {
	answered := false
	calls := map[string]bool{}
	for _, it := range t.Items {
		var i model.Item
		if json.Unmarshal(it.Body, &i) != nil {
			continue
		}
		switch {
		case i.Kind == model.Message && i.Text() != "":
			words := i.Text()
			i = model.Item{Kind: model.Message, Status: model.Complete, Role: i.Role,
				Parts: []model.Part{{Kind: model.InputText, Text: words}}}
			if i.Role == model.RoleAssistant {
				i.Parts[0].Kind, answered = model.OutputText, true
			}
			out = append(out, i)
		case i.Kind.IsCall() && i.CallID != "" && !calls[i.CallID]:
			calls[i.CallID], answered = true, true
			i.Status, i.ID, i.Opaque = model.Complete, "", nil
			out = append(out, i)
		case i.Kind.IsOutput() && calls[i.CallID]:
			calls[i.CallID], i.ID, i.Opaque = false, "", nil
			out = append(out, i)
		}
	}
	out = slices.DeleteFunc(out, func(i model.Item) bool { // a killed turn leaves calls without an output
		return i.Kind.IsCall() && calls[i.CallID]
	})
	if !answered && t.Message != "" {
		out = append(out, model.Assistant(fmt.Sprintf("(%s: %s)", t.Status, t.Message)))
	}
	return out
}
