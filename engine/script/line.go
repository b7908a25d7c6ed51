package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"waferpair/engine/model"
)

// line is one line of a script file.
type line struct {
	AfterMS float64         `json:"after_ms"`
	Item    *model.Item     `json:"item"`
	At      *int            `json:"at"`
	Text    json.RawMessage `json:"text"`
	End     bool            `json:"end"`
	Usage   *model.Usage    `json:"usage"`
	Error   json.RawMessage `json:"error"`
	Steer   bool            `json:"steer"`
}

func parseLine(raw []byte) (line, error) {
	var l line
	if len(bytes.TrimSpace(raw)) == 0 {
		return l, nil
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, fmt.Errorf(`%w; each line is {"after_ms":N,"text":"..."} or {"error":"..."}`, whyNoLine(err))
	}
	if _, err := new(halves).join(l.Text); err != nil {
		return l, fmt.Errorf("the text: %w", err)
	}
	return l, nil
}

// whyNoLine rewrites an error of encoding/json, which is about the types of this program,
// in terms of the line.
func whyNoLine(err error) error {
	if at := (*json.SyntaxError)(nil); errors.As(err, &at) {
		return fmt.Errorf("not JSON: byte %d is wrong", at.Offset)
	}
	if no := (*json.UnmarshalTypeError)(nil); errors.As(err, &no) {
		if no.Field == "" {
			return fmt.Errorf("a JSON %s, not an object", no.Value)
		}
		return fmt.Errorf("%q cannot be a %s", no.Field, no.Value)
	}
	return err
}

// play carries out the line in this order: wait, open, stream the text, end, fail.
func (l line) play(ctx context.Context, out *player) error {
	if err := l.wait(ctx); err != nil {
		return err
	}
	if l.Usage != nil {
		out.usage = *l.Usage
	}
	if l.Item != nil {
		if err := out.begin(l.At, *l.Item); err != nil {
			return err
		}
	}
	if len(l.Text) > 0 && string(l.Text) != "null" && string(l.Text) != `""` {
		if err := out.say(l.At, l.Text); err != nil {
			return err
		}
	}
	if l.End {
		if err := out.end(l.At); err != nil {
			return err
		}
	}
	if len(l.Error) > 0 && string(l.Error) != "null" {
		if err := out.rests(); err != nil {
			return err
		}
		return errors.New("the model failed: " + errorText(l.Error))
	}
	return ctx.Err()
}

func (l line) wait(ctx context.Context) error {
	if l.AfterMS <= 0 {
		return nil
	}
	t := time.NewTimer(time.Duration(l.AfterMS * float64(time.Millisecond)))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errorText accepts a plain string and the object that a hosted model sends.
func errorText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct{ Message string }
	if json.Unmarshal(raw, &o) == nil && o.Message != "" {
		return o.Message
	}
	return string(raw)
}
