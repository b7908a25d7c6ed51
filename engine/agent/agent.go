// Package agent drives models: it is the engine.Driver around every model.Model.
//
//	Brief -> Prompt -> Model -> Delta: Text of a message ---------\
//	            ^                      Text of a tool with Edits --> Host.Stream -> files
//	            |                      Edits ---------------------> Host.Apply --^
//	            |                      call of read, list ---------> its output, an item
//	            |                      items -> Host.Record -> history
//	            '-- all items so far, and what the next round is for:
//	                  outputs       of the calls of the answer
//	                  edits again   that had no place, once, with the file's true lines; those of
//	                                files that nobody may edit are refused and do not go back
//	                  a steer       the answer so far, its receipts, the instruction
//
// A generation is one answer. A model without Language has one, and one more for each steer. A
// language model first writes a summary of earlier turns if its prompt needs one (summary.go). It is
// asked again until its answer has neither calls nor edits to write again, or maxRounds is reached. A
// steer cuts a generation at the next token, and another one goes on from there. Every effect of a
// delta has happened when yield returns, so a cut leaves exactly the deltas that were yielded: in the
// files, in the items, and in the model's own state (Result.Cursor).
//
// Each prompt of a turn is the one before it and more items: what a model has read, it need not
// read again. So the outputs of an answer's calls follow all of its items. Only when the model's
// context is full, outputs of calls are shortened, oldest first (room.go).
//
// A turn that goes on with an answer that broke off has two prompts. A model that goes on at the byte
// (model.Info.GoesOn) gets the one that ends in that answer (Brief.Open) for its first generation; all other
// models, and later generations, the one that says what is in place.
//
// When the answer to a question is asked for (Prompt.ReadOnly), no text is read as edits, and calls of
// tools that edit are refused. The tools are the same: they stand in front of everything else that a
// provider keeps of a prompt.
package agent

import (
	"context"

	"waferpair/engine"
	"waferpair/engine/model"
)

// Agent is the driver around a model.
type Agent struct {
	model model.Model
	tools []model.Tool
}

// New returns a driver for a model, which may call these tools and those of its prompt.
func New(m model.Model, tools ...model.Tool) *Agent { return &Agent{m, tools} }

// Opens returns an opener of drivers for the models that o opens.
func Opens(o model.Opener, tools ...model.Tool) engine.Opener {
	return engine.Opener{Prefix: o.Prefix, Rest: o.Rest, Help: o.Help, Open: func(rest string) (engine.Driver, error) {
		m, err := o.Open(rest)
		if err != nil {
			return nil, err
		}
		return New(m, tools...), nil
	}}
}

// ApplyPatch is the tool with which models edit files. Its input is a patch, and each hunk
// is made as it arrives.
var ApplyPatch = model.Tool{
	Name:        model.ApplyPatch,
	Description: "Edits files. The input is a patch, not JSON: '*** Begin Patch', sections that begin with '*** Update File: PATH', '*** Add File: PATH' or '*** Delete File: PATH', and '*** End Patch'.",
	Format:      &model.Format{Syntax: model.Lark, Text: patchGrammar},
	Edits:       true,
}

// patchGrammar is the apply_patch format as models know it.
const patchGrammar = `start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?

hunk: add_hunk | delete_hunk | update_hunk
add_hunk: "*** Add File: " filename LF add_line+
delete_hunk: "*** Delete File: " filename LF
update_hunk: "*** Update File: " filename LF change_move? change?

filename: /(.+)/
add_line: "+" /(.*)/ LF -> line

change_move: "*** Move to: " filename LF
change: (change_context | change_line)+ eof_line?
change_context: ("@@" | "@@ " /(.+)/) LF
change_line: ("+" | "-" | " ") /(.*)/ LF
eof_line: "*** End of File" LF

%import common.LF
`

// Tools returns the tools that the model may call.
func (a *Agent) Tools() []model.Tool { return a.tools }

// Info describes the model.
func (a *Agent) Info() model.Info { return a.model.Info() }

// Unwrap returns the model, which may have optional interfaces; see engine.As.
func (a *Agent) Unwrap() model.Model { return a.model }

// Drive has the model answer a turn.
func (a *Agent) Drive(ctx context.Context, b engine.Brief, h engine.Host) (engine.Ending, error) {
	info := a.model.Info()
	if _, edits := a.model.(model.Operator); edits && b.Prompt.ReadOnly {
		return engine.Ending{}, &model.Refusal{Code: model.Beyond, Understood: "a question",
			Reason: info.Name + " edits code and cannot answer questions"}
	}
	d := &drive{resumes: b.Broken, model: a.model, language: info.Language, thinks: info.Thinks, host: h,
		prompt: b.Prompt}
	d.prompt.Tools = append(d.prompt.Tools[:len(d.prompt.Tools):len(d.prompt.Tools)], a.tools...)
	if info.Language {
		d.room.limit = info.Context
	}
	d.next = len(b.Prompt.Items) - min(b.Prompt.From, len(b.Prompt.Items))
	if info.GoesOn {
		d.open = b.Open
	}
	if b.Recap != nil && info.Language {
		if over, err := d.summarize(ctx, *b.Recap); over || err != nil {
			return d.ending, err
		}
	}
	err := d.run(ctx)
	return d.ending, err
}
