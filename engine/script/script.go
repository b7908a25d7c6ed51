// Package script is a model that replays a file as a model would stream it. Tests,
// benchmarks and demonstrations use it.
package script

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"waferpair/engine/model"
)

// Model replays the file at Path.
//
// Each line is one JSON object: {"after_ms":N,"text":"..."} waits N ms and then
// streams the text, {"error":"..."} fails the turn. A line {"steer":true} ends
// the part that plays at first; what follows it is what the model says after
// the first steer, up to the next such line. A character may be split over two
// texts, as hosted models do it.
type Model struct{ Path string }

// line is one line of a script file.
type line struct {
	AfterMS float64         `json:"after_ms"`
	Text    json.RawMessage `json:"text"`
	Error   json.RawMessage `json:"error"`
	Steer   bool            `json:"steer"`
}

// Info describes the script as a model.
func (s Model) Info() model.Info {
	return model.Info{Name: "script:" + s.Path, Kind: "script", Help: "replays the JSON lines of a file as a model would stream them", Offline: true}
}

// Generate streams the part of the script that belongs to the prompt's number of steers.
func (s Model) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) error {
	f, err := os.Open(s.Path)
	if err != nil {
		return fmt.Errorf("model script: %w; give the path of a file with JSON lines", err)
	}
	defer f.Close()
	// A pipe may keep Read waiting; a file has no deadlines, and needs none.
	defer context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })()
	part, out := 0, player{yield: yield}
	for r, n := bufio.NewReaderSize(f, 1<<16), 1; ; n++ {
		raw, err := r.ReadBytes('\n')
		if len(raw) == 0 && err == io.EOF {
			return out.say(out.text.rest())
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("model script %s: %w", s.Path, err)
		}
		l, err := parseLine(raw)
		if err != nil {
			return fmt.Errorf("model script %s, line %d: %w", s.Path, n, err)
		}
		if l.Steer {
			part++
			continue
		}
		if part > len(p.Steers) {
			return out.say(out.text.rest())
		}
		if part < len(p.Steers) {
			continue
		}
		if err := l.play(ctx, &out); err != nil {
			return err
		}
	}
}

// Kind opens scripts by the name script:FILE.
var Kind = model.Kind{
	Prefix: "script:", Help: "script:FILE replays JSON lines as a model would stream them",
	Open: func(rest string) (model.Model, error) { return Model{Path: rest}, nil },
}

func parseLine(raw []byte) (line, error) {
	var l line
	if len(bytes.TrimSpace(raw)) == 0 {
		return l, nil
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, fmt.Errorf(`%w; each line is {"after_ms":N,"text":"..."} or {"error":"..."}`, err)
	}
	if _, err := new(halves).join(l.Text); err != nil {
		return l, fmt.Errorf("the text: %w", err)
	}
	return l, nil
}

func (l line) play(ctx context.Context, out *player) error {
	if l.AfterMS > 0 {
		t := time.NewTimer(time.Duration(l.AfterMS * float64(time.Millisecond)))
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if len(l.Error) > 0 && string(l.Error) != "null" {
		if err := out.say(out.text.rest()); err != nil {
			return err
		}
		return errors.New("the model failed: " + errorText(l.Error))
	}
	s, err := out.text.join(l.Text)
	if err != nil {
		return err
	}
	if s == "" {
		return ctx.Err()
	}
	return out.say(s)
}

// player passes text on, and counts it: a recording has no tokenizer, so that four
// bytes are a token.
type player struct {
	text         halves
	said, tokens int
	yield        func(model.Delta) error
}

func (p *player) say(s string) error {
	if s == "" {
		return nil
	}
	p.said += len(s)
	n := (p.said+3)/4 - p.tokens
	p.tokens += n
	return p.yield(model.Text{Text: s, Tokens: n})
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
