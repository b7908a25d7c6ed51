package app

import (
	"bytes"
	"encoding/json"

	"waferpair/workspace/secrets"
)

// maskGrowing is maskWords for text that somebody is still writing: the part of
// a secret that it ends in is hidden as well, because it is kept again and again
// until it is whole.
func maskGrowing(s string) string {
	s = maskWords(s)
	from, yes := secrets.Unfinished("", []byte(s))
	if !yes || looksMasked(s[from:]) {
		return s
	}
	return s[:from] + filler(len(s)-from)
}

// filler is n bytes that stand in the place of a secret.
func filler(n int) string {
	b := bytes.Repeat([]byte(secrets.Filler), n/len(secrets.Filler)+1)
	return string(b[:n])
}

// MaskJSON hides the secrets in all strings of a JSON value, and in its drafts
// those that are being typed. It returns raw itself when there are none.
func MaskJSON(raw json.RawMessage) (json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	masked := false
	v = maskValue(v, maskWords, &masked)
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

func maskValue(v any, mask func(string) string, masked *bool) any {
	switch v := v.(type) {
	case string:
		m := mask(v)
		*masked = *masked || m != v
		return m
	case []any:
		for i := range v {
			v[i] = maskValue(v[i], mask, masked)
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			hide := mask
			if k == draftKey {
				hide = maskGrowing
			}
			out[maskValue(k, maskWords, masked).(string)] = maskValue(x, hide, masked)
		}
		return out
	}
	return v
}
