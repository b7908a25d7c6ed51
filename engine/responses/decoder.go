package responses

import (
	"encoding/json"
	"fmt"

	"waferpair/engine/model"
)

// The types of the events that carry text.
const (
	textDelta      = "response.output_text.delta"
	refusalDelta   = "response.refusal.delta"
	argumentsDelta = "response.function_call_arguments.delta"
	inputDelta     = "response.custom_tool_call_input.delta"
	reasoningDelta = "response.reasoning_text.delta"
	summaryDelta   = "response.reasoning_summary_text.delta"

	textDone      = "response.output_text.done"
	refusalDone   = "response.refusal.done"
	argumentsDone = "response.function_call_arguments.done"
	inputDone     = "response.custom_tool_call_input.done"
	reasoningDone = "response.reasoning_text.done"
	summaryDone   = "response.reasoning_summary_text.done"
	partDone      = "response.content_part.done"
)

// maxItems bounds the items of an answer.
const maxItems = 1 << 16

// Emit takes a delta of an answer. Its error ends the decoding.
type Emit = func(model.Delta) error

// Decoder decodes the events of one response by push.
//
//	output_item.added -> open --delta, *.done--> open --output_item.done--> ended
//	        (a delta or a done without it opens the item too)
type Decoder struct {
	wrapped map[string]bool // tools whose input comes as JSON
	byIndex map[int]*item
	byID    map[string]*item
	items   []*item // in the order in which they began
	last    *item
	ev      event

	id     string
	result Response
	done   bool
	said   []Said // the items that have ended, as a conversation keeps them
	blind  bool   // an item ended whose whole text is not known here
}

// Response is how a response ended.
type Response struct {
	ID    string
	Stop  model.Stop
	Usage *model.Usage // nil when the server did not say
	Text  int          // bytes of text
}

// NewDecoder returns a decoder. wrapped are the tools whose input the server wraps in JSON.
func NewDecoder(wrapped map[string]bool) *Decoder {
	return &Decoder{wrapped: wrapped, byIndex: map[int]*item{}, byID: map[string]*item{}}
}

// Done reports whether the response has ended.
func (d *Decoder) Done() bool { return d.done }

// Response returns the end of the response, or what is known of it so far.
func (d *Decoder) Response() Response {
	r := d.result
	r.ID = d.id
	return r
}

// Said returns the items of the response; false when one is not known.
func (d *Decoder) Said() ([]Said, bool) { return d.said, !d.blind }

// Event decodes one event and emits its deltas. name is its type where the data has none. A
// *Error is what the server reports; other errors mean that the stream is wrong.
func (d *Decoder) Event(name string, data []byte, emit Emit) error {
	if len(data) > MaxEvent {
		return ErrTooLarge
	}
	e := &d.ev
	if err := e.scan(data); err != nil {
		return fmt.Errorf("%w: %.60q", err, data)
	}
	if e.kind == "" {
		e.kind = name
	}
	return d.take(e, emit)
}

func (d *Decoder) take(e *event, emit Emit) error {
	if d.done {
		return nil
	}
	switch e.kind {
	case textDelta:
		return d.delta(e, model.OutputText, e.content, emit)
	case refusalDelta:
		return d.delta(e, model.RefusalText, e.content, emit)
	case reasoningDelta:
		return d.delta(e, model.ReasoningText, e.content, emit)
	case summaryDelta:
		return d.delta(e, model.SummaryText, e.summary, emit)
	case argumentsDelta, inputDelta:
		return d.delta(e, "", 0, emit)
	case textDone:
		return d.textDone(e, model.OutputText, e.content, emit)
	case refusalDone:
		return d.textDone(e, model.RefusalText, e.content, emit)
	case reasoningDone:
		return d.textDone(e, model.ReasoningText, e.content, emit)
	case summaryDone:
		return d.textDone(e, model.SummaryText, e.summary, emit)
	case argumentsDone, inputDone:
		return d.textDone(e, "", 0, emit)
	case partDone:
		return d.partDone(e, emit)
	case "response.output_item.added":
		return d.added(e, emit)
	case "response.output_item.done":
		return d.itemDone(e, emit)
	case "response.output_item.interrupted":
		return d.interrupted(e, emit)
	case "response.created", "response.in_progress", "response.queued":
		d.opened(e.response)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.done":
		return d.terminal(e, emit)
	case "error":
		if err := ParseError(e.whole); err != nil {
			return err
		}
		return &Error{Message: "the server reports an error without a reason"}
	}
	return nil
}

func (d *Decoder) opened(response []byte) {
	var of struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(response, &of) == nil && of.ID != "" {
		d.id = cleanID(of.ID)
	}
}

// find returns the item that an event is about: by its index, else by its id, else the last
// one that began; nil if there is none.
func (d *Decoder) find(e *event, id string) *item {
	if e.output >= 0 {
		if d.last != nil && d.last.output == e.output {
			return d.last
		}
		return d.byIndex[e.output]
	}
	if id == "" && e.itemID != nil {
		id, _ = unquote(e.itemID) // another type of value is no id
	}
	if id != "" {
		return d.byID[id]
	}
	if d.last != nil && !d.last.ended {
		return d.last
	}
	return nil
}

// about returns the item that an item of an event is; nil for a new one, also from a server
// that counts each item as 0.
func (d *Decoder) about(e *event, i model.Item) *item {
	it := d.find(e, i.ID)
	if it != nil && it.ended && i.ID != "" && it.header.ID != "" && it.header.ID != i.ID {
		return d.byID[i.ID]
	}
	return it
}

// add adds an item that has not begun.
func (d *Decoder) add(e *event, header model.Item) (*item, error) {
	if len(d.items) >= maxItems {
		return nil, fmt.Errorf("the answer has more than %d items", maxItems)
	}
	it := &item{at: len(d.items), output: e.output, header: header}
	d.items = append(d.items, it)
	if e.output >= 0 {
		d.byIndex[e.output] = it
	}
	id := header.ID
	if id == "" && e.itemID != nil {
		id, _ = unquote(e.itemID) // another type of value is no id
	}
	if id != "" {
		d.byID[id] = it
	}
	d.last = it
	return it, nil
}

// added opens an item.
func (d *Decoder) added(e *event, emit Emit) error {
	i, wraps, err := d.item(e.item)
	if err != nil {
		return err
	}
	if it := d.about(e, i); it != nil && (e.output >= 0 || i.ID != "") {
		return nil // it has begun with a delta, or is announced twice
	}
	it, err := d.add(e, header(i))
	if err != nil || i.Kind == model.Reasoning || !known(i.Kind) {
		return err // begins when it is known what it is
	}
	it.wraps = wraps
	return it.begin("", emit)
}

// item reads an item, and turns the call of a function that stands for a freeform tool into
// a freeform call, whose input is still wrapped.
func (d *Decoder) item(raw []byte) (i model.Item, wraps bool, err error) {
	if raw == nil {
		return i, false, fmt.Errorf("the event has no item")
	}
	if err := json.Unmarshal(raw, &i); err != nil {
		return i, false, err
	}
	i.ID, i.CallID, i.Name, i.Role = cleanID(i.ID), cleanID(i.CallID), cleanID(i.Name), cleanID(i.Role)
	if i.Kind == model.FunctionCall && d.wrapped[i.Name] {
		i.Kind, wraps = model.CustomCall, true
	}
	return i, wraps, nil
}

// known reports whether items of a kind have text of their own.
func known(k model.Kind) bool {
	return k == model.Message || k == model.Reasoning || k.IsCall()
}

// header returns an item without its text.
func header(i model.Item) model.Item {
	h := model.Item{ID: i.ID, Kind: i.Kind, Role: i.Role, CallID: i.CallID, Name: i.Name}
	if i.Kind == model.Message && h.Role == "" {
		h.Role = model.RoleAssistant
	}
	return h
}

// delta emits a piece of text. One for an item that cannot begin yet waits for the end of
// the item, which has the whole text.
func (d *Decoder) delta(e *event, kind model.PartKind, index int, emit Emit) error {
	it, err := d.of(e, kind)
	if err != nil || it.waits || it.ended || e.delta == nil {
		return err
	}
	text, err := it.decode(e.delta)
	if err != nil || text == "" {
		return err
	}
	t := model.Text{At: it.at, Text: text}
	if len(e.logprobs) > 2 { // not []
		t.Top = logprobs(e.logprobs)
		t.Tokens = len(t.Top)
	}
	return d.say(it, t, kind, max(index, 0), emit)
}

// of returns the item that a text is of, which may begin with it.
func (d *Decoder) of(e *event, kind model.PartKind) (*item, error) {
	if it := d.find(e, ""); it != nil {
		return it, nil
	}
	h := implied(kind)
	it, err := d.add(e, h)
	if err != nil {
		return nil, err
	}
	it.waits = h.Kind == ""
	return it, nil
}

// say emits text of an item, and begins the item if that has not happened.
func (d *Decoder) say(it *item, t model.Text, kind model.PartKind, index int, emit Emit) error {
	if !it.begun {
		if err := it.begin(kind, emit); err != nil {
			return err
		}
	}
	d.result.Text += len(t.Text)
	return it.say(t, kind, index, emit)
}

// textDone emits what the end of a text adds to its deltas, of which a server may send none. What
// contradicts them is for the end of the item to say.
func (d *Decoder) textDone(e *event, kind model.PartKind, index int, emit Emit) error {
	if e.text == nil {
		return nil
	}
	it, err := d.of(e, kind)
	if err != nil || it.waits || it.ended {
		return err
	}
	text, err := unquote(e.text)
	if err == nil && it.wraps {
		text, err = Unwrap(text)
	}
	if err != nil {
		return nil // the end of the item has it, too
	}
	if s := it.part(kind, max(index, 0)); s != nil {
		var same bool
		if text, same = s.rest(text); !same {
			return nil
		}
	}
	it.pieces = Pieces{}
	if text == "" {
		return nil
	}
	return d.say(it, model.Text{At: it.at, Text: text}, kind, max(index, 0), emit)
}

// partDone is textDone for a server that sends only the end of the part.
func (d *Decoder) partDone(e *event, emit Emit) error {
	var p struct {
		Type    model.PartKind  `json:"type"`
		Text    json.RawMessage `json:"text"`
		Refusal json.RawMessage `json:"refusal"`
	}
	if e.part == nil || json.Unmarshal(e.part, &p) != nil {
		return nil
	}
	if e.text = p.Text; p.Type == model.RefusalText {
		e.text = p.Refusal
	}
	return d.textDone(e, p.Type, e.content, emit)
}

// logprobs reads log probabilities; none if they cannot be read.
func logprobs(raw []byte) []model.Logprob {
	var out []model.Logprob
	if json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// implied returns the header of an item that begins with a delta; a call cannot, because its
// tool is not known.
func implied(kind model.PartKind) model.Item {
	switch kind {
	case model.OutputText, model.RefusalText:
		return model.Item{Kind: model.Message, Role: model.RoleAssistant}
	case model.ReasoningText, model.SummaryText:
		return model.Item{Kind: model.Reasoning}
	}
	return model.Item{}
}
