package fake

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// What POST /v1/responses and response.create may have in them.
var createParams = strings.Fields(`background client_metadata context_management conversation include input
	instructions max_output_tokens max_tool_calls metadata model parallel_tool_calls previous_response_id prompt
	prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options
	temperature text tool_choice tools top_logprobs top_p truncation user`)

var itemFields = map[string]string{
	"message":                 "type role content id status phase",
	"function_call":           "type call_id name arguments id status namespace",
	"function_call_output":    "type call_id output id status",
	"custom_tool_call":        "type call_id name input id status namespace",
	"custom_tool_call_output": "type call_id output id status",
	"reasoning":               "type id summary content encrypted_content status",
	"item_reference":          "type id",
}

var idPrefix = map[string]string{"message": "msg", "function_call": "fc", "custom_tool_call": "ctc", "reasoning": "rs",
	"function_call_output": "fc", "custom_tool_call_output": "ctc"}

var (
	toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	laneName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,256}$`)
)

// checkCreate checks a Responses request before its parent is looked up, and fills in r.
func (s *Server) checkCreate(r *Request) *apiError {
	p := r.Params
	if s.Caps.Strict {
		for name := range p {
			if !slices.Contains(createParams, name) && !(r.Wire == "ws" &&
				slices.Contains([]string{"type", "generate", "stream_id"}, name)) {
				return bad(name, "unknown_parameter", "Unknown parameter: '%s'.", name)
			}
		}
	}
	for _, check := range []func(*Request) *apiError{s.checkModel, s.checkSettings, s.checkTools, s.checkInput} {
		if e := check(r); e != nil {
			return e
		}
	}
	r.Parent = asString(p["previous_response_id"])
	r.WarmUp = p["generate"] == false
	return nil
}

func (s *Server) checkModel(r *Request) *apiError {
	if r.Model == "" {
		return bad("model", "missing_required_parameter", "Missing required parameter: 'model'.")
	}
	if s.knows(r.Model) {
		return nil
	}
	e := bad("model", "model_not_found", "The model '%s' does not exist or you do not have access to it.", r.Model)
	if r.Wire != "ws" {
		e.status = 404
	}
	return e
}

func (s *Server) checkSettings(r *Request) *apiError {
	p := r.Params
	if n, ok := p["max_output_tokens"].(json.Number); ok {
		if i, err := n.Int64(); err != nil || i < 16 && s.Caps.Strict {
			return bad("max_output_tokens", "integer_below_min_value", "Invalid 'max_output_tokens': integer below "+
				"minimum value. Expected a value >= 16, but got %s instead.", n)
		}
	}
	for name, top := range map[string]float64{"temperature": 2, "top_p": 1} {
		if e := s.checkNumber(p[name], name, top); e != nil {
			return e
		}
	}
	for name, kind := range map[string]string{"instructions": "string", "store": "boolean", "stream": "boolean",
		"include": "array", "reasoning": "object", "text": "object", "metadata": "object", "prompt_cache_key": "string",
		"previous_response_id": "string", "parallel_tool_calls": "boolean", "user": "string"} {
		if v := p[name]; v != nil && typeOf(v) != kind {
			return wrongType(name, kind, v)
		}
	}
	if len(asString(p["prompt_cache_key"])) > 64 {
		return bad("prompt_cache_key", "string_above_max_length", "Invalid 'prompt_cache_key': string too long. "+
			"Expected a string with maximum length 64.")
	}
	format := asMap(asMap(p["text"])["format"])
	if kind := format["type"]; kind == "json_schema" && (format["name"] == nil || format["schema"] == nil) {
		return bad("text.format.name", "missing_required_parameter", "Missing required parameter: 'text.format.name'.")
	}
	return nil
}

func (s *Server) checkNumber(v any, name string, top float64) *apiError {
	if v == nil {
		return nil
	}
	n, ok := v.(json.Number)
	if !ok {
		return wrongType(name, "number", v)
	}
	if !s.Caps.Sampling {
		return bad(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", name)
	}
	if f, err := n.Float64(); err != nil || f < 0 || f > top {
		return bad(name, "decimal_above_max_value", "Invalid '%s': expected a value between 0 and %g, but got %s instead.",
			name, top, n)
	}
	return nil
}

// checkTools fills in r.Tools.
func (s *Server) checkTools(r *Request) *apiError {
	r.Tools = map[string]string{}
	if v := r.Params["tools"]; v != nil && typeOf(v) != "array" {
		return wrongType("tools", "array", v)
	}
	for i, v := range asList(r.Params["tools"]) {
		t, at := asMap(v), fmt.Sprintf("tools[%d]", i)
		kind, name := asString(t["type"]), asString(t["name"])
		if kind != "function" && s.Caps.SkipTools {
			continue
		}
		if kind == "" {
			return bad(at+".type", "missing_required_parameter", "Missing required parameter: '%s.type'.", at)
		}
		if kind == "custom" && !s.Caps.Freeform {
			return bad(at+".type", "invalid_value", "Invalid value: 'custom'. Supported values are: 'function'.")
		}
		if e := checkTool(at, kind, name, t); e != nil {
			return e
		}
		if name != "" && r.Tools[name] != "" {
			return bad("tools", "invalid_value", "Duplicate tool name: '%s'.", name)
		}
		r.Tools[name] = kind
	}
	return checkChoice(r)
}

func checkTool(at, kind, name string, t map[string]any) *apiError {
	if kind != "function" && kind != "custom" {
		return nil // hosted tools, and those of a later time
	}
	if name == "" {
		return bad(at+".name", "missing_required_parameter", "Missing required parameter: '%s.name'.", at)
	}
	if !toolName.MatchString(name) {
		return bad(at+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string "+
			"that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
	}
	if kind == "custom" {
		return checkFormat(at+".format", asMap(t["format"]))
	}
	params, ok := t["parameters"].(map[string]any)
	if t["parameters"] != nil && !ok {
		return wrongType(at+".parameters", "object", t["parameters"])
	}
	if t["strict"] == true && (params == nil || params["additionalProperties"] != false) {
		return bad(at+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': In context=(), "+
			"'additionalProperties' is required to be supplied and to be false.", name)
	}
	if params != nil && params["type"] != "object" {
		return bad(at+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': schema must be a "+
			"JSON Schema of 'type: \"object\"'.", name)
	}
	return nil
}

func checkFormat(at string, f map[string]any) *apiError {
	switch f["type"] {
	case nil, "text":
		return nil
	case "grammar":
		if syntax := f["syntax"]; syntax != "lark" && syntax != "regex" {
			return bad(at+".syntax", "invalid_value", "Invalid value: '%v'. Supported values are: 'lark' and 'regex'.", syntax)
		}
		if asString(f["definition"]) == "" {
			return bad(at+".definition", "missing_required_parameter", "Missing required parameter: '%s.definition'.", at)
		}
		return nil
	}
	return bad(at+".type", "invalid_value", "Invalid value: '%v'. Supported values are: 'text' and 'grammar'.", f["type"])
}

func checkChoice(r *Request) *apiError {
	switch v := r.Params["tool_choice"].(type) {
	case nil:
	case string:
		if !slices.Contains([]string{"auto", "none", "required"}, v) {
			return bad("tool_choice", "invalid_value", "Invalid value: '%s'. Supported values are: 'none', 'auto', and "+
				"'required'.", v)
		}
		if v == "required" && len(r.Tools) == 0 {
			return bad("tool_choice", "", "Tool choice 'required' must be specified with 'tools' parameter.")
		}
	case map[string]any:
		name := asString(v["name"])
		if name == "" {
			name = asString(asMap(v["function"])["name"])
		}
		if name != "" && r.Tools[name] == "" {
			return bad("tool_choice", "", "Tool choice '%s' not found in 'tools' parameter.", name)
		}
	default:
		return wrongType("tool_choice", "string", v)
	}
	return nil
}

func wrongType(param, want string, v any) *apiError {
	return bad(param, "invalid_type", "Invalid type for '%s': expected one of %s or null, but got %s instead.", param,
		want, typeOf(v))
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func roundTrip(v any) any {
	var out any
	d := json.NewDecoder(strings.NewReader(string(encode(v))))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		panic(err) // our own encoding
	}
	return out
}
