package mask

import (
	"bytes"
	"encoding/json"

	"waferpair/workspace/secrets"
)

// Words masks secrets in the user's text.
func Words(s string) string {
	m, _ := secrets.Mask("", []byte(s))
	return string(m)
}

// Growing is Words for text that is still being written: it also masks an incomplete secret at
// the end, because the text is stored again and again until it is complete.
func Growing(s string) string {
	s = Words(s)
	from, yes := secrets.Unfinished("", []byte(s))
	if !yes || Has(s[from:]) {
		return s
	}
	return s[:from] + filler(len(s)-from)
}

// filler returns n bytes that replace a secret.
func filler(n int) string {
	b := bytes.Repeat([]byte(secrets.Filler), n/len(secrets.Filler)+1)
	return string(b[:n])
}

// JSON masks the secrets in all strings of a JSON value; in drafts also incomplete ones. It
// returns raw itself when there are none.
func JSON(raw json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	masked := false
	v = value(v, Words, &masked)
	if !masked {
		return raw, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

const draftKey = "draft"

func value(v any, mask func(string) string, masked *bool) any {
	switch v := v.(type) {
	case string:
		m := mask(v)
		*masked = *masked || m != v
		return m
	case []any:
		for i := range v {
			v[i] = value(v[i], mask, masked)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			hide := mask
			if k == draftKey {
				hide = Growing
			}
			out[value(k, Words, masked).(string)] = value(x, hide, masked)
		}
		return out
	}
	return v
}
