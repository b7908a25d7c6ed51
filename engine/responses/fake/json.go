package fake

import (
	"bytes"
	"encoding/json"
	"slices"
)

// object is a JSON object that keeps the order of its members, as providers write them: OpenAI
// begins with type, vLLM ends with it.
type object []member

type member struct {
	key   string
	value any
}

// obj makes an object of keys and values in turn.
func obj(kv ...any) object {
	o := make(object, 0, len(kv)/2)
	for i := 0; i+1 < len(kv); i += 2 {
		o = append(o, member{kv[i].(string), kv[i+1]})
	}
	return o
}

func (o object) with(kv ...any) object { return append(slices.Clone(o), obj(kv...)...) }

func (o object) sorted() object {
	s := slices.Clone(o)
	slices.SortStableFunc(s, func(a, b member) int { return bytes.Compare([]byte(a.key), []byte(b.key)) })
	return s
}

func (o object) bare() object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool {
		return slices.Contains([]string{"sequence_number", "output_index", "content_index", "logprobs"}, m.key)
	})
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode writes v on one line, with <, > and & as they are, like the providers.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // our own values
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func asString(v any) string {
	s, _ := v.(string)
	return s
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func asList(v any) []any {
	l, _ := v.([]any)
	return l
}
