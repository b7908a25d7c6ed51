package fake

import (
	"embed"
	"strings"
)

//go:embed testdata/streams
var files embed.FS

// Stream is what a provider sent for one answer, to the byte, and what a client makes of it. The
// files are written from the providers' documentation, each with the provider's quirks:
//
//	openai, azure  usage after the last choice; the prompt's filter first, frames that only annotate
//	vllm           reasoning, once reasoning_content; a call's head without arguments; usage in each
//	               chunk; Responses with type last, items without ids, raw reasoning
//	ollama         the role in each chunk; calls whole, each in its chunk
//	cerebras       usage beside the finish reason; no finish_reason before; errors as event: error
//	openrouter     comments; usage beside an empty delta; an error beside a choice
//	llama.cpp      content null, timings; Responses without numbers and indexes
//	plain          CRLF, no space after the colon, a byte order mark
//	minimal        what Codex needs of Responses, and no more
type Stream struct {
	Name string

	Text    string
	Thought string
	Calls   []string // name, space, input
	Stop    string   // end, tool_calls, length, filter; "" when it fails
	Input   int      // tokens; 0: not said
	Cached  int
	Error   string // a part of the message with which it fails
}

const (
	readA = `read {"path":"a.go"}`
	port  = "Port 8443."
)

// Streams lists the recorded streams.
func Streams() []Stream {
	return []Stream{
		{Name: "openai-chat", Text: "The limit is 64 — größer geht 🙂.", Stop: "end", Input: 1217, Cached: 1152},
		{Name: "openai-chat-tools", Calls: []string{readA, `read {"path":"b \"x\".go"}`}, Stop: "tool_calls", Input: 300},
		{Name: "azure-chat", Text: port, Stop: "end", Input: 90},
		{Name: "azure-chat-filtered", Text: "First you", Stop: "filter"},
		{Name: "ollama-chat", Thought: "Okay, the port.", Text: port, Stop: "end", Input: 26},
		{Name: "ollama-chat-tools", Calls: []string{readA, `read {"path":"b.go"}`}, Stop: "tool_calls", Input: 150},
		{Name: "ollama-chat-error", Text: "Port", Error: "model runner has unexpectedly stopped"},
		{Name: "vllm-chat", Thought: "Hm, 8443 or 80?", Text: "\n\n" + port, Stop: "end", Input: 40, Cached: 32},
		{Name: "vllm-chat-old", Thought: "Hm.", Text: "Yes.", Stop: "length", Input: 40},
		{Name: "vllm-chat-tools", Text: "I look.", Calls: []string{`read {"path": "a.go"}`}, Stop: "tool_calls", Input: 200},
		{Name: "vllm-chat-error", Text: "Port", Error: "EngineCore encountered an issue"},
		{Name: "cerebras-chat", Thought: "Look at port", Text: port, Stop: "end", Input: 75},
		{Name: "cerebras-chat-tools", Calls: []string{readA}, Stop: "tool_calls", Input: 175},
		{Name: "cerebras-chat-error", Text: "Port", Error: "Encountered a server error"},
		{Name: "openrouter-chat", Thought: "First", Text: port, Stop: "end", Input: 64, Cached: 48},
		{Name: "openrouter-chat-error", Text: "Port", Error: "upstream disconnected"},
		{Name: "llamacpp-chat", Text: port, Stop: "end", Input: 31, Cached: 8},
		{Name: "plain-crlf-chat", Text: port, Stop: "end"},
		{Name: "openai-responses", Thought: "**Reading** the file", Text: "I change größe 🙂.", Calls: []string{readA,
			"apply_patch *** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"}, Stop: "tool_calls", Input: 1200, Cached: 1024},
		{Name: "openai-responses-429", Text: "Port", Error: "Rate limit reached"},
		{Name: "openai-responses-length", Text: "Port 84", Stop: "length", Input: 40},
		{Name: "openai-responses-error", Error: "The server had an error"},
		{Name: "openai-responses-refusal", Text: "I can't help with that.", Stop: "end", Input: 30},
		{Name: "vllm-responses", Thought: "Hm, 8443?", Text: port, Stop: "end", Input: 44, Cached: 32},
		{Name: "ollama-responses-tools", Calls: []string{readA}, Stop: "tool_calls", Input: 150},
		{Name: "openrouter-responses", Text: port, Stop: "end", Input: 64, Cached: 48},
		{Name: "llamacpp-responses-bare", Text: port, Stop: "end", Input: 31},
		{Name: "minimal-responses", Text: port, Stop: "end"},
	}
}

// OfChat reports whether the stream is one of chat completions.
func (s Stream) OfChat() bool { return strings.Contains(s.Name, "-chat") }

// Body returns the stream's bytes.
func (s Stream) Body() []byte {
	b, err := files.ReadFile("testdata/streams/" + s.Name + ".sse")
	if err != nil {
		panic(err) // embedded
	}
	return b
}

// Recorded answers with the stream's bytes, in pieces of 1 to size bytes, drawn from the
// server's seed; of the first n bytes only, and then the connection dies, unless n is negative.
func (s Stream) Recorded(size, n int) Answer {
	a := Answer{raw: s.Body(), size: size}
	if n >= 0 {
		a.raw, a.Fault = a.raw[:min(n, len(a.raw))], Fault{Kind: Die}
	}
	return a
}

// replay sends recorded bytes.
func (st *stream) replay() error {
	for rest := st.a.raw; len(rest) > 0; {
		n := min(1+st.rnd.IntN(st.a.size), len(rest))
		if err := st.pipe.raw(rest[:n]); err != nil {
			return err
		}
		st.r.sent(n)
		rest = rest[n:]
	}
	if st.a.Fault.Kind == Die {
		st.pipe.die(false)
		return errDied
	}
	return nil
}
