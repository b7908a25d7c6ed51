package agent

import "waferpair/engine/model"

// Some models begin their answers within a thought: their template has written <think> before. The first such
// answer tells by an end without a beginning, and what was made of it by then is taken back; from the next one on
// the agent waits for the end. An answer that should have had such an end, and has none, is all answer.

// learnThought remembers how the answers of the model begin. ended: this one had an end without a beginning;
// endless: it was expected to have one, and had none.
func (d *drive) learnThought(ended, endless bool) {
	begins := (d.thinks || ended) && !endless
	if begins == d.thinks {
		return
	}
	d.thinks = begins
	if m, is := d.model.(model.ThoughtMinder); is {
		m.BeginsInThought(begins)
	}
}
