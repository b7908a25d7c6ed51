// Package chat is the form of a conversation that a local model was trained on: items in, prompt
// out, and the model's text back into items.
//
//	items, tools -> Form.Render -> segments: text, or control tokens by name -> tokens
//	                          '-> Parser: text of the answer -> deltas: thought, words, calls
//
// Two forms are known: ChatML as Qwen2.5 and Qwen3 use it, and that of Llama 3. Find recognises
// them by markers in the model's Jinja template (tokenizer.chat_template), which is never run: it
// is a stranger's program. Other templates are refused by the name of what they look like.
//
// Text of users, files and tools is never in a segment whose control tokens count, so nothing in it
// can end a turn or speak as somebody else. Segments that follow each other are cut at control
// tokens only; their tokens are those of the whole prompt.
//
// The last item continues where its text ends, to the byte, when it is incomplete: a message, a
// thought, or the arguments of a call. The parser that Render returns begins in that place. What
// it yields then is only the rest; its Begin has the item's kind, name and call id.
//
// A freeform tool is a function with the one argument "input", as in package
// engine/responses/chat; its text is decoded from the JSON while it streams.
package chat
