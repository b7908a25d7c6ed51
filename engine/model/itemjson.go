package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// fields writes a JSON object whose fields keep their order, so that equal items have equal
// bytes: models cache the beginnings of prompts.
type fields struct {
	bytes.Buffer
	values *json.Encoder // writes to the buffer
	err    error
}

// put adds a field, unless it is an empty string.
func (f *fields) put(name string, v any) {
	if s, is := v.(string); !is || s != "" {
		f.always(name, v)
	}
}

// always adds a field, even an empty string.
func (f *fields) always(name string, v any) {
	if f.err != nil {
		return
	}
	if f.values == nil {
		f.values = encoder(&f.Buffer)
		f.WriteByte('{')
	} else {
		f.WriteByte(',')
	}
	if f.err = f.value(name); f.err != nil {
		return
	}
	f.WriteByte(':')
	if err := f.value(v); err != nil {
		f.err = fmt.Errorf("%s: %w", name, err)
	}
}

// value appends v without the encoder's newline.
func (f *fields) value(v any) error {
	err := f.values.Encode(v)
	if err == nil {
		f.Truncate(f.Len() - 1)
	}
	return err
}

// rest adds the fields of an object, sorted by name.
func (f *fields) rest(opaque json.RawMessage) {
	if len(opaque) == 0 {
		return
	}
	var of map[string]json.RawMessage
	if err := json.Unmarshal(opaque, &of); err != nil {
		f.err = fmt.Errorf("the opaque fields: %w", err)
		return
	}
	for _, name := range sorted(of) {
		f.put(name, of[name])
	}
}

// object closes the object.
func (f *fields) object() ([]byte, error) {
	if f.values == nil {
		f.WriteByte('{')
	}
	f.WriteByte('}')
	return f.Bytes(), f.err
}

func sorted(of map[string]json.RawMessage) []string {
	names := make([]string, 0, len(of))
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// encoder returns an encoder that does not escape HTML, because patches are full of < and
// >.
func encoder(to *bytes.Buffer) *json.Encoder {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e
}

// MarshalJSON returns the form of the Responses API, which the history stores too.
func (i Item) MarshalJSON() ([]byte, error) {
	var f fields
	f.put("type", string(i.Kind))
	f.put("id", i.ID)
	f.put("status", string(i.Status))
	switch {
	case i.Kind == Message:
		f.put("role", i.Role)
		f.put("content", list(i.Parts))
	case i.Kind == Reasoning:
		f.put("summary", list(i.only(true)))
		if thought := i.only(false); len(thought) > 0 {
			f.put("content", thought)
		}
	case i.Kind == FunctionCall:
		f.put("call_id", i.CallID)
		f.put("name", i.Name)
		f.always("arguments", i.Input)
	case i.Kind == CustomCall:
		f.put("call_id", i.CallID)
		f.put("name", i.Name)
		f.always("input", i.Input)
	case i.Kind.IsOutput():
		f.put("call_id", i.CallID)
		if len(i.Parts) == 1 && i.Parts[0].plain() {
			f.always("output", i.Parts[0].Text)
		} else {
			f.put("output", list(i.Parts))
		}
	}
	f.rest(i.Opaque)
	return f.object()
}

func list(of []Part) []Part {
	if of == nil {
		return []Part{} // [], not null
	}
	return of
}

// only returns the parts of reasoning that are its summary, or the others.
func (i Item) only(summary bool) []Part {
	return slices.DeleteFunc(slices.Clone(i.Parts), func(p Part) bool { return (p.Kind == SummaryText) != summary })
}

// plain reports whether a part of an output is text and nothing else.
func (p Part) plain() bool { return p.Kind == InputText && len(p.Opaque) == 0 }

// UnmarshalJSON reads the output of MarshalJSON and the items of the Responses API.
func (i *Item) UnmarshalJSON(b []byte) error {
	of := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &of); err != nil {
		return fmt.Errorf("an item: %w", err)
	}
	*i = Item{}
	t := taking{of: of}
	t.take("type", &i.Kind)
	t.take("id", &i.ID)
	t.take("status", &i.Status)
	switch {
	case i.Kind == Message || i.Kind == "" && of["role"] != nil: // requests may omit the type of a message
		i.Kind = Message
		t.take("role", &i.Role)
		t.content("content", i)
	case i.Kind == Reasoning:
		t.content("summary", i)
		t.content("content", i)
	case i.Kind == FunctionCall:
		t.take("call_id", &i.CallID)
		t.take("name", &i.Name)
		t.arguments(&i.Input)
	case i.Kind == CustomCall:
		t.take("call_id", &i.CallID)
		t.take("name", &i.Name)
		t.take("input", &i.Input)
	case i.Kind.IsOutput():
		t.take("call_id", &i.CallID)
		t.content("output", i)
	}
	i.Opaque = t.left()
	if t.err != nil {
		return fmt.Errorf("an item of type %q: %w", i.Kind, t.err)
	}
	return nil
}

// taking reads the fields of an object one by one. The remaining ones are opaque.
type taking struct {
	of  map[string]json.RawMessage
	err error
}

func (t *taking) take(name string, into any) {
	raw, ok := t.of[name]
	if !ok || t.err != nil {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.err = fmt.Errorf("%s: %w", name, err)
	}
	delete(t.of, name)
}

// arguments reads the JSON of a call's arguments, which some servers send as an object instead of a text.
func (t *taking) arguments(into *string) {
	if raw := bytes.TrimSpace(t.of["arguments"]); len(raw) > 0 && raw[0] == '{' {
		*into = string(raw)
		delete(t.of, "arguments")
		return
	}
	t.take("arguments", into)
}

// content reads a list of parts, or a string that stands for one. null is an empty list.
func (t *taking) content(name string, i *Item) {
	var words string
	if raw := bytes.TrimSpace(t.of[name]); len(raw) > 0 && raw[0] == '"' {
		if t.take(name, &words); t.err == nil {
			i.Parts = append(i.Parts, Part{Kind: i.textKind(), Text: words})
		}
		return
	}
	var parts []Part
	t.take(name, &parts)
	i.Parts = append(i.Parts, parts...)
}

func (t *taking) left() json.RawMessage {
	if len(t.of) == 0 || t.err != nil {
		return nil
	}
	b, err := json.Marshal(t.of)
	t.err = err
	return b
}

// MarshalJSON returns the form of the Responses API.
func (p Part) MarshalJSON() ([]byte, error) {
	var f fields
	f.put("type", string(p.Kind))
	if p.Kind.isText() {
		f.always(p.Kind.textField(), p.Text)
	}
	f.put("file_id", p.File)
	f.put("filename", p.Name)
	f.rest(p.Opaque)
	return f.object()
}

// UnmarshalJSON reads the output of MarshalJSON and the parts of the Responses API.
func (p *Part) UnmarshalJSON(b []byte) error {
	t := taking{of: map[string]json.RawMessage{}}
	if err := json.Unmarshal(b, &t.of); err != nil {
		return fmt.Errorf("a part: %w", err)
	}
	*p = Part{}
	t.take("type", &p.Kind)
	if p.Kind.isText() {
		t.take(p.Kind.textField(), &p.Text)
	}
	t.take("file_id", &p.File)
	t.take("filename", &p.Name)
	p.Opaque = t.left()
	if t.err != nil {
		return fmt.Errorf("a part of type %q: %w", p.Kind, t.err)
	}
	return nil
}

func (k PartKind) isText() bool {
	return slices.Contains([]PartKind{InputText, OutputText, SummaryText, ReasoningText, RefusalText}, k)
}

func (k PartKind) textField() string {
	if k == RefusalText {
		return "refusal"
	}
	return "text"
}
