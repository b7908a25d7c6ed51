package chat

import (
	"strings"

	"waferpair/engine/model"
)

// The words of Qwen's templates around tools.
const (
	toolsBegin = "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
	toolsEnd = "\n</tools>\n\nFor each function call, return a json object with function name and arguments within " +
		"<tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
	callBegins   = "<tool_call>"
	callEnds     = "</tool_call>"
	noThought    = "<think>\n\n</think>\n\n"
	thoughtEnds  = "\n</think>\n\n"
	thoughtStart = "<think>\n"
)

// chatml writes the form of Qwen2.5 and Qwen3. Without tools and thought it is plain ChatML.
func (w writer) chatml(list []turn, tools []string, o Options) {
	list = w.chatmlSystem(list, tools)
	for n, t := range list {
		if n == len(list)-1 && w.p.open.Kind != "" {
			w.control("<|im_start|>")
			w.plain("assistant\n")
			w.chatmlAnswer(t, true)
			return
		}
		w.control("<|im_start|>")
		switch t.role {
		case "assistant":
			w.plain("assistant\n")
			w.chatmlAnswer(t, false)
		case "tool":
			w.plain("user")
			for _, result := range t.results {
				w.plain("\n<tool_response>\n", result, "\n</tool_response>")
			}
		default:
			w.plain(t.role, "\n", t.text)
		}
		w.control("<|im_end|>")
		w.plain("\n")
	}
	w.control("<|im_start|>")
	w.plain("assistant\n")
	if w.p.form.thinks && o.NoThought {
		w.plain(noThought)
	}
}

// chatmlSystem writes the system message with the tools, and returns the other turns.
func (w writer) chatmlSystem(list []turn, tools []string) []turn {
	system, some := w.p.form.system, w.p.form.system != ""
	if len(list) > 0 && list[0].role == "system" {
		system, some, list = list[0].text, true, list[1:]
	}
	if !some && len(tools) == 0 {
		return list
	}
	w.control("<|im_start|>")
	w.plain("system\n", system)
	if len(tools) > 0 {
		if some {
			w.plain("\n\n")
		}
		w.plain(toolsBegin)
		for _, t := range tools {
			w.plain("\n", t)
		}
		w.plain(toolsEnd)
	}
	w.control("<|im_end|>")
	w.plain("\n")
	return list
}

// chatmlAnswer writes thought, words and calls. open: the last of them goes on.
func (w writer) chatmlAnswer(t turn, open bool) {
	if open && w.openIs(model.Reasoning) {
		w.plain(thoughtStart, t.thought)
		return
	}
	if w.p.form.thinks && t.current && t.thought != "" {
		w.plain(thoughtStart, strings.Trim(t.thought, "\n"), thoughtEnds)
	}
	w.plain(t.text)
	for n, c := range t.calls {
		if n > 0 || t.text != "" {
			w.plain("\n")
		}
		goesOn := open && n == len(t.calls)-1
		w.plain(callBegins, "\n{\"name\": ", quoted(c.Name), `, "arguments": `, argumentsOf(c, goesOn))
		if !goesOn {
			w.plain("}\n", callEnds)
		}
	}
}
