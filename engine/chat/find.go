package chat

import (
	"errors"
	"fmt"
	"strings"
)

// Form is a form of conversations.
type Form struct {
	family family
	system string // of conversations that have no system message
	dates  bool   // Llama 3.1 and later: the system message begins with two dates
	thinks bool   // the thought of the current turn is part of the conversation
	calls  string // why tools cannot be used; "": they can
}

type family int

const (
	chatml family = iota + 1
	llama3
)

// Names are the names of forms, for a flag.
const Names = "chatml|llama3"

// Named returns a form by its name: chatml or llama3.
func Named(name string) (Form, error) {
	switch name {
	case "chatml":
		return Form{family: chatml}, nil
	case "llama3":
		return Form{family: llama3}, nil
	}
	return Form{}, fmt.Errorf("there is no chat template %q: --template %s", name, Names)
}

func (f Form) String() string {
	switch f.family {
	case chatml:
		return "chatml"
	case llama3:
		return "llama3"
	}
	return "none"
}

const qwenSystem = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."

// Find returns the form that a chat template in Jinja makes.
func Find(template string) (Form, error) {
	has := func(marker string) bool { return strings.Contains(template, marker) }
	if template == "" {
		return Form{}, errors.New("the model has no chat template: it completes texts and was not trained to answer; take its Instruct variant, or choose a form with --template " + Names)
	}
	for _, other := range others {
		if has(other.marker) {
			return Form{}, fmt.Errorf("the model's chat template is that of %s (it has %s), and only ChatML and Llama 3 are known: take another model, or try --template %s", other.name, other.marker, Names)
		}
	}
	switch {
	case has("<|im_start|>"):
		f := Form{family: chatml, thinks: has("enable_thinking")}
		if has(qwenSystem) {
			f.system = qwenSystem
		}
		if has("<function=") || has("<|tool_call_start|>") || has("<parameter") {
			f.calls = "this model calls tools in another form than the JSON in <tool_call> that is known"
		}
		return f, nil
	case has("<|start_header_id|>") && has("<|end_header_id|>"):
		f := Form{family: llama3, dates: has("Cutting Knowledge Date")}
		if has("<function=") || has(">>>") || has("functools") {
			f.calls = "this model calls tools in another form than the bare JSON of Llama 3.1 that is known"
		}
		return f, nil
	}
	return Form{},
		fmt.Errorf("the model's chat template is neither ChatML nor Llama 3 (it begins %.60q): take another model, or try --template %s", template, Names)
}

// others are the markers of other templates. Some of them have markers of ours too.
var others = []struct{ marker, name string }{
	{"<|im_sep|>", "Phi-4"}, {"<|im_system|>", "Kimi"}, {"<start_of_turn>", "Gemma"}, {"<|turn>", "Gemma 4"},
	{"[INST]", "Mistral or Llama 2"}, {"<|channel|>", "gpt-oss"}, {"<|start_of_role|>", "Granite"}, {"[gMASK]", "GLM"},
	{"<|START_OF_TURN_TOKEN|>", "Command R"}, {"<｜User｜>", "DeepSeek"}, {"<|user|>", "Phi-3 or Zephyr"},
	{"<|role_start|>", "Ling"}, {"]~b]", "MiniMax"}, {"### Instruction:", "Alpaca"}, {"<|header_start|>", "Llama 4"},
}
