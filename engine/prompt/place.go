package prompt

import (
	"slices"

	"waferpair/engine/model"
)

// Memory is what the last prompt of a session had, and where. The zero value is that of a session
// without a prompt.
type Memory struct {
	Outputs int64 // the outputs of tools in the turns up to this one are left out
	Turns   int64 // the turns up to this one are left out
	spots   []spot
}

// spot is a part and its place.
type spot struct {
	Part
	after  int64 // it stands behind this turn; 0: in front of all
	levels levels
	sum    string // stands for the text of a spot that was stored
}

// is reports whether the last prompt had a part with this text.
func (s *spot) is(text string) bool {
	if s.Text == "" {
		return s.sum == sumOf(text)
	}
	return s.Text == text
}

// find returns a part of the last prompt.
func (m *Memory) find(kind Kind, name string) *spot {
	for i := range m.spots {
		if s := &m.spots[i]; s.Kind == kind && s.Name == name {
			return s
		}
	}
	return nil
}

// note returns what the user pointed at in the turn behind another one.
func (m *Memory) note(after int64) *spot {
	for i := range m.spots {
		if s := &m.spots[i]; s.Kind == Pointer && s.after == after {
			return s
		}
	}
	return nil
}

// latest returns the files, the newest first.
func (m *Memory) latest() (out []spot) {
	for _, s := range slices.Backward(m.spots) {
		if s.Kind == File {
			out = append(out, s)
		}
	}
	return out
}

// assemble puts the parts in their places.
func (b *builder) assemble() Context {
	c := Context{Out: sorted(b.out), Limit: b.limit, Reserve: Reserve(b.limit), Tokens: b.size(), Due: b.due,
		Memory: Memory{Outputs: b.memory.Outputs, Turns: b.memory.Turns}}
	if c.Out == nil {
		c.Out = []Left{}
	}
	c.Parts = append(c.Parts, b.head)
	if b.tools.Text != "" {
		c.Parts = append(c.Parts, b.tools)
	}
	c.Items = append(c.Items, message(model.RoleDeveloper, b.head))
	spots := b.places()
	group := func(after int64, note Part, about ...Part) {
		var parts []Part
		for _, s := range spots {
			if s.after == after {
				parts = append(parts, s.Part)
				c.Memory.spots = append(c.Memory.spots, s)
			}
		}
		parts = append(parts, about...)
		c.Parts = append(c.Parts, parts...)
		if note.Text != "" {
			parts = append(parts, note)
			c.Memory.spots = append(c.Memory.spots, spot{Part: note, after: after})
		}
		if len(parts) > 0 {
			c.Items = append(c.Items, message(model.RoleUser, parts...))
		}
	}
	last := int64(0)
	for _, t := range b.turns {
		group(last, Part{Kind: Pointer, Name: "place", Text: t.Note})
		c.Parts = append(c.Parts, t.Part)
		c.Items = append(c.Items, t.Items...)
		last = t.ID
	}
	if b.r.GoesOn {
		c.From = len(c.Items)
		return c
	}
	group(last, b.note, b.attached...)
	if b.note.Text != "" {
		c.Parts = append(c.Parts, b.note)
	}
	c.Parts = append(c.Parts, b.asked)
	c.From = len(c.Items)
	c.Items = append(c.Items, model.User(b.r.Text))
	return c
}

// message returns a message with a part of its own for each part of the context.
func message(role string, parts ...Part) model.Item {
	i := model.Item{Kind: model.Message, Status: model.Complete, Role: role}
	for _, p := range parts {
		i.Parts = append(i.Parts, model.Part{Kind: model.InputText, Text: p.Text})
	}
	return i
}

// places returns the parts between the turns, in the prompt's order: those that the last prompt had
// too where they were, all others behind the conversation.
func (b *builder) places() []spot {
	wanted := slices.Clone(b.laws)
	if b.chart.Text != "" {
		wanted = append(wanted, b.chart)
	}
	wanted = append(wanted, b.inOrder()...)
	end := b.lastTurn()
	var out, late []spot
	placed := map[string]bool{}
	laws := b.steadyRules()
	for _, was := range b.memory.spots { // in their order
		i := slices.IndexFunc(wanted, func(p Part) bool { return p.Kind == was.Kind && p.Name == was.Name })
		if was.Kind == Pointer || i < 0 || i >= laws && i < len(b.laws) || !was.is(wanted[i].Text) {
			continue
		}
		out = append(out, spot{Part: wanted[i], after: b.turnUpTo(was.after), levels: was.levels})
		placed[string(was.Kind)+" "+was.Name] = true
	}
	for _, p := range wanted {
		if !placed[string(p.Kind)+" "+p.Name] {
			s := spot{Part: p, after: end}
			if p.Kind == Map {
				s.levels = b.shown
			}
			late = append(late, s)
		}
	}
	return append(out, late...)
}

// lastTurn is the turn behind which the new parts stand: the last one, or the one before that if it is open.
func (b *builder) lastTurn() int64 {
	if n := len(b.turns); b.r.GoesOn && n > 1 {
		return b.turns[n-2].ID
	} else if b.r.GoesOn {
		return 0
	}
	return b.turnBefore()
}

// turnUpTo returns the last turn in the prompt that is not behind another one: that one may be left out, or on
// another line of the conversation. 0: there is none.
func (b *builder) turnUpTo(id int64) (last int64) {
	for _, t := range b.turns {
		if t.ID <= id {
			last = t.ID
		}
	}
	return last
}

// steadyRules is the number of the project's instructions, from the outermost on, that can stay where they
// were. The ones behind it move, because the nearest must be read last.
func (b *builder) steadyRules() int {
	last := -1
	for n, p := range b.laws {
		at := slices.IndexFunc(b.memory.spots, func(s spot) bool {
			return s.Kind == Rules && s.Name == p.Name && s.is(p.Text)
		})
		if at < last || at < 0 {
			return n
		}
		last = at
	}
	return len(b.laws)
}

// inOrder returns the files as a first prompt has them: the least certain first, so that the open
// file is nearest to the request.
func (b *builder) inOrder() []Part {
	out := slices.Clone(b.files)
	slices.Reverse(out)
	return out
}
