package fake

import (
	"fmt"
	"slices"
	"strings"
)

// What POST /v1/chat/completions may have in it.
var chatParams = strings.Fields(`audio frequency_penalty function_call functions logit_bias logprobs
	max_completion_tokens max_tokens messages metadata modalities model n parallel_tool_calls prediction
	presence_penalty prompt_cache_key prompt_cache_retention reasoning_effort response_format safety_identifier seed
	service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity
	web_search_options`)

// checkChat checks a chat request and fills in r.
func (s *Server) checkChat(r *Request) *apiError {
	p := r.Params
	if s.Caps.Strict {
		for name := range p {
			if !slices.Contains(chatParams, name) {
				return bad("", "", "Unrecognized request argument supplied: %s", name)
			}
		}
	}
	if p["stream_options"] != nil && p["stream"] != true {
		return bad("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	if p["max_tokens"] != nil && !s.Caps.MaxTokens {
		return bad("max_tokens", "unsupported_parameter", "Unsupported parameter: 'max_tokens' is not supported with this "+
			"model. Use 'max_completion_tokens' instead.")
	}
	for _, check := range []func(*Request) *apiError{s.checkModel, s.checkSettings, s.checkChatTools, s.checkMessages} {
		if e := check(r); e != nil {
			return e
		}
	}
	return nil
}

func (s *Server) checkChatTools(r *Request) *apiError {
	r.Tools = map[string]string{}
	if v := r.Params["tools"]; v != nil && (typeOf(v) != "array" || len(asList(v)) == 0) {
		return bad("tools", "empty_array", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got "+
			"an empty array instead.")
	}
	for i, v := range asList(r.Params["tools"]) {
		at, t := fmt.Sprintf("tools[%d]", i), asMap(v)
		kind := asString(t["type"])
		if kind != "function" && !(kind == "custom" && s.Caps.Freeform) {
			return bad(at+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function'.", kind)
		}
		inner, ok := t[kind].(map[string]any)
		if !ok {
			return bad(at+"."+kind, "missing_required_parameter", "Missing required parameter: '%s.%s'.", at, kind)
		}
		name := asString(inner["name"])
		if kind == "custom" {
			if f := asMap(inner["format"]); f["type"] == "grammar" && asMap(f["grammar"])["definition"] == nil {
				return bad(at+".custom.format.grammar", "missing_required_parameter", "Missing required parameter: "+
					"'%s.custom.format.grammar'.", at)
			}
			inner = map[string]any{}
		}
		if e := checkTool(at+"."+kind, kind, name, inner); e != nil {
			return e
		}
		r.Tools[name] = kind
	}
	return checkChoice(r)
}

func (s *Server) checkMessages(r *Request) *apiError {
	messages := asList(r.Params["messages"])
	if len(messages) == 0 {
		return bad("messages", "", "Invalid 'messages': empty array. Expected an array with minimum length 1.")
	}
	owed := map[string]bool{} // calls of the last assistant message without their output
	for i, v := range messages {
		m, at := asMap(v), fmt.Sprintf("messages[%d]", i)
		if m == nil {
			return wrongType(at, "object", v)
		}
		if m["role"] != "tool" && len(owed) > 0 {
			return unanswered(owed)
		}
		if e := s.checkChatMessage(at, m, owed); e != nil {
			return e
		}
		r.New = append(r.New, m)
	}
	if len(owed) > 0 {
		return unanswered(owed)
	}
	r.Items = r.New
	return nil
}

func unanswered(owed map[string]bool) *apiError {
	var ids []string
	for id := range owed {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return bad("messages", "", "An assistant message with 'tool_calls' must be followed by tool messages responding to "+
		"each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

func (s *Server) checkChatMessage(at string, m map[string]any, owed map[string]bool) *apiError {
	role := asString(m["role"])
	if !slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, role) {
		return bad(at+".role", "invalid_value", "Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', "+
			"'function', 'tool', and 'developer'.", role)
	}
	calls := asList(m["tool_calls"])
	if m["content"] == nil && (role != "assistant" || len(calls) == 0) {
		return bad(at+".content", "", "Invalid value for 'content': expected a string, got null.")
	}
	for i, v := range asList(m["content"]) {
		if kind := asString(asMap(v)["type"]); !slices.Contains([]string{"text", "image_url", "file", "refusal"}, kind) {
			return bad(fmt.Sprintf("%s.content[%d].type", at, i), "invalid_value", "Invalid value: '%s'. Supported values "+
				"are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.", kind)
		}
	}
	if role == "tool" {
		id := asString(m["tool_call_id"])
		if !owed[id] {
			return bad(at+".role", "", "Invalid parameter: messages with role 'tool' must be a response to a preceeding "+
				"message with 'tool_calls'.")
		}
		delete(owed, id)
	}
	if m["tool_calls"] != nil && len(calls) == 0 {
		return bad(at+".tool_calls", "empty_array", "Invalid '%s.tool_calls': empty array.", at)
	}
	for i, v := range calls {
		call, place := asMap(v), fmt.Sprintf("%s.tool_calls[%d]", at, i)
		kind := asString(call["type"])
		body, field := asMap(call[kind]), map[string]string{"function": "arguments", "custom": "input"}[kind]
		if _, text := body[field].(string); field == "" || !text || asString(body["name"]) == "" {
			return bad(place, "missing_required_parameter", "Missing required parameter: '%s.function'.", place)
		}
		id := asString(call["id"])
		if id == "" {
			return bad(place+".id", "missing_required_parameter", "Missing required parameter: '%s.id'.", place)
		}
		owed[id] = true
	}
	return nil
}
