package agent

import (
	"strings"

	"waferpair/engine"
)

// Many models that people run themselves cannot call tools, and their servers refuse a request that
// offers some. Such a model is asked again without: it writes its patches in its answer.

// refusesTools reports whether a server refused a request because of its tools. There is no code for
// that; these are the words of servers, in lower case:
//
//	Ollama        ... does not support tools
//	OpenRouter    No endpoints found that support tool use
//	vLLM          "auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set
//	llama.cpp     tools param requires --jinja flag
func refusesTools(err error) bool {
	words := strings.ToLower(err.Error())
	for _, refusal := range []string{"not support tool", "not support function", "support tool use",
		"enable-auto-tool-choice", "tools param requires", "tools are not supported", "tool calling is not supported"} {
		if strings.Contains(words, refusal) {
			return true
		}
	}
	return false
}

// withoutTools gives up the tools if that is why nothing was answered.
func (g *generation) withoutTools(err error) bool {
	if !g.language || len(g.prompt.Tools) == 0 || len(g.places) > 0 || !refusesTools(err) {
		return false
	}
	g.prompt.Tools = nil
	g.host.Emit(engine.Note{Text: g.model.Info().Name + " cannot call tools: it is asked for patches in its answer, " +
		"and reads only the files that the request names"})
	return true
}
