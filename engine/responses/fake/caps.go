package fake

import "time"

// Caps is what a provider can do, and how it differs.
type Caps struct {
	Name        string
	Responses   bool
	WebSocket   bool
	Chat        bool
	Upgrade     int           // status of a refused upgrade; 0: 404
	MaxAge      time.Duration // of a socket; 0: 60 minutes
	Chaining    bool          // previous_response_id over HTTP, for responses with store: true
	Freeform    bool          // tools of type custom; else refused or skipped
	SkipTools   bool          // tools that are no functions are skipped without an error
	Strict      bool          // unknown parameters, ids of the wrong kind: 400
	Sampling    bool          // temperature and top_p are accepted
	MaxTokens   bool          // chat: max_tokens is accepted beside max_completion_tokens
	Encrypted   bool          // reasoning items carry encrypted_content when asked
	Thought     string        // chat: the delta's field of reasoning; "": none
	WholeCalls  bool          // chat: a tool call comes in one chunk
	Sorted      bool          // members of events in alphabetical order: type comes last
	Bare        bool          // events without sequence_number, output_index, content_index, logprobs
	Comments    string        // SSE comment before the first event, and between events
	PromptFirst bool          // chat: Azure's first chunk, with empty choices
	BlankReason bool          // chat: finish_reason "" instead of null
	APIKey      bool          // the key may come in the header api-key
	ListContext bool          // models: the context length is listed
	ListPrices  bool          // models: prices are listed, in dollars for a token
}

// OpenAI has everything.
func OpenAI() Caps {
	return Caps{Name: "openai", Responses: true, WebSocket: true, Chat: true, Chaining: true, Freeform: true,
		Strict: true, Encrypted: true, Sampling: true}
}

// Azure is OpenAI with its own header and first chunk.
func Azure() Caps {
	c := OpenAI()
	c.Name, c.APIKey, c.PromptFirst = "azure", true, true
	return c
}

// XAI chains on its socket and accepts what it does not know.
func XAI() Caps {
	return Caps{Name: "x.ai", Responses: true, WebSocket: true, Chat: true, Chaining: true, Sampling: true,
		MaxTokens: true, Thought: "reasoning_content", WholeCalls: true}
}

// VLLM stores nothing unless told to; its events end with type.
func VLLM() Caps {
	return Caps{Name: "vllm", Responses: true, Chat: true, Sampling: true, MaxTokens: true,
		Thought: "reasoning", Sorted: true, ListContext: true}
}

// Ollama is stateless, and sends a tool call whole.
func Ollama() Caps {
	return Caps{Name: "ollama", Responses: true, Chat: true, Sampling: true, MaxTokens: true, SkipTools: true,
		Thought: "reasoning", WholeCalls: true, BlankReason: true}
}

// LlamaCpp is stateless, skips tools that are no functions, and numbers nothing: 'make test-peers'
// compares its events with those of the real one.
func LlamaCpp() Caps {
	return Caps{Name: "llama.cpp", Responses: true, Chat: true, Sampling: true, MaxTokens: true, SkipTools: true,
		Thought: "reasoning_content", Bare: true}
}

// LMStudio chains over HTTP.
func LMStudio() Caps {
	return Caps{Name: "lmstudio", Responses: true, Chat: true, Chaining: true, Sampling: true, MaxTokens: true,
		SkipTools: true, Thought: "reasoning_content"}
}

// Cerebras has chat completions alone.
func Cerebras() Caps {
	return Caps{Name: "cerebras", Chat: true, Sampling: true, MaxTokens: true, Thought: "reasoning",
		WholeCalls: true, Strict: true}
}

// OpenRouter writes comments while it waits.
func OpenRouter() Caps {
	return Caps{Name: "openrouter", Responses: true, Chat: true, Sampling: true, MaxTokens: true,
		Thought: "reasoning", Comments: "OPENROUTER PROCESSING", ListContext: true, ListPrices: true}
}

// AllCaps lists the providers, one of each kind.
func AllCaps() []Caps {
	return []Caps{OpenAI(), Azure(), XAI(), VLLM(), Ollama(), LlamaCpp(), LMStudio(), Cerebras(), OpenRouter()}
}
