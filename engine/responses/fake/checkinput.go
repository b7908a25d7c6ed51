package fake

import (
	"fmt"
	"slices"
	"strings"
)

// checkInput checks the items one by one and fills in r.New.
func (s *Server) checkInput(r *Request) *apiError {
	switch input := r.Params["input"].(type) {
	case nil:
		if r.Params["generate"] == false {
			return nil
		}
		return bad("input", "missing_required_parameter", "Missing required parameter: 'input'.")
	case string:
		r.New = []map[string]any{{"type": "message", "role": "user", "content": input}}
	case []any:
		for i, v := range input {
			item, at := asMap(v), fmt.Sprintf("input[%d]", i)
			if item == nil {
				return wrongType(at, "object", v)
			}
			if item["type"] == nil && item["role"] != nil {
				item["type"] = "message"
			}
			if e := s.checkItem(at, item, r); e != nil {
				return e
			}
			r.New = append(r.New, item)
		}
	default:
		return wrongType("input", "string, array", input)
	}
	return nil
}

func (s *Server) checkItem(at string, item map[string]any, r *Request) *apiError {
	kind := asString(item["type"])
	fields, known := itemFields[kind]
	if !known {
		if strings.Contains(kind, "tools") || strings.HasSuffix(kind, "_call") || strings.HasSuffix(kind, "_output") {
			return nil // hosted tools
		}
		return bad(at, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", kind, keysOf(itemFields))
	}
	if s.Caps.Strict {
		for name := range item {
			if !slices.Contains(strings.Fields(fields), name) {
				return bad(at+"."+name, "unknown_parameter", "Unknown parameter: '%s.%s'.", at, name)
			}
		}
		if e := checkID(at, kind, item["id"]); e != nil {
			return e
		}
	}
	switch kind {
	case "message":
		return checkMessage(at, item)
	case "function_call":
		return checkCall(at, item, "arguments")
	case "custom_tool_call":
		return checkCall(at, item, "input")
	case "function_call_output", "custom_tool_call_output":
		return checkOutput(at, item)
	case "reasoning":
		return s.checkReasoning(at, item, r)
	}
	return nil
}

func checkID(at, kind string, id any) *apiError {
	if id == nil {
		return nil
	}
	text, ok := id.(string)
	if !ok {
		return wrongType(at+".id", "string", id)
	}
	if want := idPrefix[kind]; want != "" && !strings.HasPrefix(text, want) {
		return bad(at+".id", "invalid_value", "Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.", at, text, want)
	}
	if len(text) > 64 && kind != "reasoning" {
		return bad(at+".id", "string_above_max_length", "Invalid '%s.id': string too long. Expected a string with maximum "+
			"length 64, but got a string with length %d instead.", at, len(text))
	}
	return nil
}

func checkMessage(at string, item map[string]any) *apiError {
	role := asString(item["role"])
	if !slices.Contains([]string{"user", "assistant", "system", "developer"}, role) {
		return bad(at+".role", "invalid_value", "Invalid value: '%s'. Supported values are: 'assistant', 'system', "+
			"'developer', and 'user'.", role)
	}
	parts, ok := item["content"].([]any)
	if !ok {
		if _, text := item["content"].(string); !text {
			return wrongType(at+".content", "an array of objects or string", item["content"])
		}
		return nil
	}
	allowed := []string{"input_text", "input_image", "input_file"}
	if role == "assistant" {
		allowed = []string{"output_text", "refusal"}
	}
	for i, v := range parts {
		part := asMap(v)
		kind := asString(part["type"])
		if !slices.Contains(allowed, kind) {
			return bad(fmt.Sprintf("%s.content[%d]", at, i), "invalid_value", "Invalid value: '%s'. Supported values are: '%s'.",
				kind, strings.Join(allowed, "', '"))
		}
		if strings.HasSuffix(kind, "_text") {
			if _, ok := part["text"].(string); !ok {
				return bad(fmt.Sprintf("%s.content[%d].text", at, i), "missing_required_parameter",
					"Missing required parameter: '%s.content[%d].text'.", at, i)
			}
		}
	}
	return nil
}

func checkCall(at string, item map[string]any, field string) *apiError {
	for _, name := range []string{"call_id", "name", field} {
		if _, ok := item[name].(string); !ok {
			return bad(at+"."+name, "missing_required_parameter", "Missing required parameter: '%s.%s'.", at, name)
		}
	}
	if !toolName.MatchString(asString(item["name"])) {
		return bad(at+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string "+
			"that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
	}
	return checkCallID(at, item)
}

func checkCallID(at string, item map[string]any) *apiError {
	id := asString(item["call_id"])
	if id == "" || len(id) > 64 {
		return bad(at+".call_id", "string_above_max_length", "Invalid '%s.call_id': expected a string of 1 to 64 "+
			"characters, but got a string with length %d instead.", at, len(id))
	}
	return nil
}

func checkOutput(at string, item map[string]any) *apiError {
	switch item["output"].(type) {
	case string, []any:
		return checkCallID(at, item)
	}
	return bad(at+".output", "missing_required_parameter", "Missing required parameter: '%s.output'.", at)
}

// checkReasoning: nothing is stored with store: false, so the item has to bring its thought.
func (s *Server) checkReasoning(at string, item map[string]any, r *Request) *apiError {
	if _, ok := item["summary"].([]any); !ok {
		return bad(at+".summary", "missing_required_parameter", "Missing required parameter: '%s.summary'.", at)
	}
	if s.Caps.Strict && item["id"] != nil && item["encrypted_content"] == nil && r.Params["store"] == false {
		e := bad("input", "", "Item with id '%v' not found. Items are not persisted when `store` is set to false. Try again "+
			"with `store` set to true, or remove this item from your input.", item["id"])
		e.status = 404
		return e
	}
	return nil
}

// checkPairs checks the whole conversation: every call has one output after it, every output
// a call before it, and a thought is followed by what it led to.
func (s *Server) checkPairs(items []map[string]any) *apiError {
	calls := map[string]bool{} // to whether the output is there
	var order []string
	for i, item := range items {
		id := asString(item["call_id"])
		switch kind := asString(item["type"]); kind {
		case "function_call", "custom_tool_call":
			calls[id] = false
			order = append(order, id)
		case "function_call_output", "custom_tool_call_output":
			if _, ok := calls[id]; !ok {
				return bad("input", "", "No tool call found for %s with call_id %s.", words(kind), id)
			}
			calls[id] = true
		case "reasoning":
			if s.Caps.Strict && i == len(items)-1 {
				return bad("input", "", "Item '%v' of type 'reasoning' was provided without its required following item.",
					item["id"])
			}
		}
	}
	for _, id := range order {
		if !calls[id] {
			return bad("input", "", "No tool output found for function call %s.", id)
		}
	}
	return nil
}

func words(kind string) string { return strings.ReplaceAll(kind, "_", " ") }

func keysOf(m map[string]string) string {
	var keys []string
	for k := range m {
		keys = append(keys, "'"+k+"'")
	}
	slices.Sort(keys)
	return strings.Join(keys, ", ")
}
