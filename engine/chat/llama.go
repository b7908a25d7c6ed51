package chat

import (
	"bytes"
	"encoding/json"
	"strings"

	"waferpair/engine/model"
)

const (
	llamaTools = "Given the following functions, please respond with a JSON for a function call with its proper arguments " +
		"that best answers the given prompt.\n\nRespond in the format {\"name\": function name, \"parameters\": dictionary of " +
		"argument name and its value}.Do not use variables.\n\n"
	// The dates are those that the published template has when nobody sets them: a prompt must not change
	// from one day to the next.
	llamaDates = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
)

// llama3 writes the form of Llama 3; tools go before the first message of the user, as in the
// templates of Llama 3.1 to 3.3.
func (w writer) llama3(list []turn, tools []string) {
	system, some := "", w.p.form.dates
	if len(list) > 0 && list[0].role == "system" {
		system, some, list = strings.TrimSpace(list[0].text), true, list[1:]
	}
	if some {
		w.header("system")
		if w.p.form.dates {
			if len(tools) > 0 {
				w.plain("Environment: ipython\n")
			}
			w.plain(llamaDates)
		}
		w.plain(system)
		w.control("<|eot_id|>")
	}
	for n, t := range list {
		if len(tools) > 0 && t.role != "system" {
			if t.role != "user" { // nobody asked yet: the tools are a message by themselves
				w.said("user", llamaPreamble(tools))
			} else {
				t.text = llamaPreamble(tools) + strings.TrimSpace(t.text)
			}
			tools = nil
		}
		if n == len(list)-1 && w.p.open.Kind != "" {
			w.llamaAnswer(t, true)
			return
		}
		switch t.role {
		case "assistant":
			w.llamaAnswer(t, false)
		case "tool":
			for _, result := range t.results {
				w.said("ipython", quoted(result))
			}
		default:
			w.said(t.role, t.text)
		}
	}
	if len(tools) > 0 {
		w.said("user", llamaPreamble(tools))
	}
	w.header("assistant")
}

func (w writer) header(role string) {
	w.control("<|start_header_id|>")
	w.plain(role)
	w.control("<|end_header_id|>")
	w.plain("\n\n")
}

func (w writer) said(role, text string) {
	w.header(role)
	w.plain(strings.TrimSpace(text))
	w.control("<|eot_id|>")
}

// llamaAnswer writes words and calls, each as an answer of its own. A thought is not part of this form; one
// that goes on is written as words.
func (w writer) llamaAnswer(t turn, open bool) {
	if open && w.openIs(model.Reasoning) {
		w.header("assistant")
		w.plain(thoughtStart, t.thought)
		return
	}
	switch {
	case open && len(t.calls) == 0:
		w.header("assistant")
		w.plain(t.text)
		return
	case t.text != "":
		w.said("assistant", t.text)
	}
	for n, c := range t.calls {
		goesOn := open && n == len(t.calls)-1
		w.header("assistant")
		w.plain(`{"name": `, quoted(c.Name), `, "parameters": `, argumentsOf(c, goesOn))
		if !goesOn {
			w.plain("}")
			w.control("<|eot_id|>")
		}
	}
}

func llamaPreamble(tools []string) string {
	var b bytes.Buffer
	b.WriteString(llamaTools)
	for _, t := range tools {
		if json.Indent(&b, []byte(t), "", "    ") != nil { // a schema that is no JSON goes as it is
			b.WriteString(t)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}
