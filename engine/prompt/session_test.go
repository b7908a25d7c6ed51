package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"waferpair/engine/model"
)

// stored returns what the next run of the program knows of a prompt.
func stored(t interface{ Fatal(...any) }, m *Memory) *Memory {
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	m = &Memory{}
	if err := json.Unmarshal(raw, m); err != nil {
		t.Fatal(err)
	}
	return m
}

// dialog is a session whose answers are short.
type dialog struct {
	t      *testing.T
	files  project
	turns  []Turn
	memory *Memory
	last   string
}

// ask has a prompt built, and returns it with the share of the last one that it begins with.
func (d *dialog) ask(r Request) (c Context, share float64) {
	r.Files, r.Turns, r.Before = d.files, d.turns, d.memory
	c = build(d.t, r)
	now := said(c.Items)
	same := 0
	for same < len(now) && same < len(d.last) && now[same] == d.last[same] {
		same++
	}
	share = float64(same) / float64(max(1, len(d.last)))
	d.turns = append(d.turns,
		Turn{ID: int64(len(d.turns) + 1), Items: []model.Item{c.Items[c.From], model.Assistant("ok")}})
	d.memory, d.last = stored(d.t, &c.Memory), now
	return c, share
}

// TestFilesLeaveTogether checks that files that nobody asks for any more leave a long conversation seldom, and
// then several at once, and that a long file keeps its lines.
func TestFilesLeaveTogether(t *testing.T) {
	p := project{files: map[string]string{}}
	for i := range 40 {
		p.files[fmt.Sprintf("f%02d.txt", i)] = strings.Repeat("a line of text\n", 2000)
	}
	p.files["f00.txt"] = strings.Repeat("a line of text\n", 40_000)
	d := &dialog{t: t, files: p}
	d.ask(Request{Text: "what is this?", Target: model.Target{File: "f00.txt", From: 20_000, To: 20_001}})
	broken := 0
	for i := 1; i < 40; i++ {
		if _, share := d.ask(Request{Text: fmt.Sprintf("look at f%02d.txt", i)}); share < 1 {
			broken++
		}
	}
	if broken > 14 { // three files of 30 KB leave at a time
		t.Errorf("%d of 39 turns begin otherwise than the one before", broken)
	}
	_, again := d.ask(Request{Text: "go on"})
	if again != 1 {
		t.Errorf("a turn without files begins with %.2f of the one before", again)
	}
}

// TestTheNearestRulesAreLast checks that instructions of the project that change do not move behind nearer ones.
func TestTheNearestRulesAreLast(t *testing.T) {
	d := &dialog{t: t, files: shop()}
	at := Request{Text: "go", Target: model.Target{File: "price/price.go"}}
	d.ask(at)
	d.files.files["AGENTS.md"] = "Other rules.\n"
	if c, _ := d.ask(at); names(c, Rules) != "AGENTS.md price/AGENTS.md" {
		t.Error(names(c, Rules))
	}
}

// TestTheMapStays checks that a declaration more does not take the prefix with it, and many do.
func TestTheMapStays(t *testing.T) {
	d := &dialog{t: t, files: shop()}
	d.ask(Request{Text: "go"})
	d.files.symbols = append(slices.Clone(d.files.symbols), model.Symbol{Name: "Zero", Kind: "func",
		Path: "server/server.go", Line: 9})
	c, share := d.ask(Request{Text: "go on"})
	if share != 1 || !strings.Contains(said(c.Items), "Serve()\n") {
		t.Errorf("%.2f of the prompt is kept", share)
	}
	for i := range 20 {
		d.files.files[fmt.Sprintf("new%02d/x.go", i)] = "package x\n"
	}
	if c, _ = d.ask(Request{Text: "go on"}); !strings.Contains(said(c.Items), "new19/") {
		t.Error("the map is out of date")
	}
}
