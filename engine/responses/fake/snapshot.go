package fake

// snapshot is the response object. Usage is in the terminal one alone.
func (sp *speaker) snapshot(status string, failure, incomplete any) object {
	p := sp.r.Params
	orElse := func(name string, v any) any {
		if p[name] != nil {
			return p[name]
		}
		return v
	}
	output, usage := sp.output, any(nil)
	if output == nil {
		output = []object{}
	}
	if status == "completed" || status == "incomplete" {
		usage = sp.usage().responses()
	}
	return obj("id", sp.id, "object", "response", "created_at", sp.s.Clock.Now().Unix(), "status", status,
		"background", false, "error", failure, "incomplete_details", incomplete, "instructions", p["instructions"],
		"max_output_tokens", p["max_output_tokens"], "model", sp.r.Model+"-2026-04-01", "output", output,
		"parallel_tool_calls", orElse("parallel_tool_calls", true), "previous_response_id", orNull(sp.r.Parent),
		"prompt_cache_key", p["prompt_cache_key"], "reasoning", orElse("reasoning", obj("effort", nil, "summary", nil)),
		"store", orElse("store", true), "temperature", orElse("temperature", 1),
		"text", orElse("text", obj("format", obj("type", "text"))), "tool_choice", orElse("tool_choice", "auto"),
		"tools", orElse("tools", []any{}), "top_p", orElse("top_p", 1), "truncation", "disabled", "usage", usage,
		"metadata", obj())
}

func (sp *speaker) usage() Usage {
	if sp.a.Usage != nil {
		return *sp.a.Usage
	}
	return Usage{Input: sp.counted.tokens, Cached: sp.counted.cached, Output: sp.deltas, Reasoning: sp.thought}
}

func (u Usage) responses() object {
	return obj("input_tokens", u.Input, "input_tokens_details", obj("cached_tokens", u.Cached),
		"output_tokens", u.Output, "output_tokens_details", obj("reasoning_tokens", u.Reasoning),
		"total_tokens", u.Input+u.Output)
}

func (u Usage) chat() object {
	return obj("prompt_tokens", u.Input, "completion_tokens", u.Output, "total_tokens", u.Input+u.Output,
		"prompt_tokens_details", obj("cached_tokens", u.Cached, "audio_tokens", 0),
		"completion_tokens_details", obj("reasoning_tokens", u.Reasoning, "audio_tokens", 0))
}
