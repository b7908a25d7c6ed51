package engine

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
)

// Script is a model that replays a file, as a model would stream it. Tests,
// benchmarks and demonstrations use it.
//
// Each line is one JSON object: {"after_ms":N,"text":"..."} waits N ms and then
// streams the text, {"error":"..."} fails the turn. A line {"steer":true} ends
// the part that plays at first; what follows it is what the model says after
// the first steer, up to the next such line. A character may be split over two
// texts, as hosted models do it.
type Script struct{ Path string }

// scriptLine is one line of a script file.
type scriptLine struct {
	AfterMS float64         `json:"after_ms"`
	Text    json.RawMessage `json:"text"`
	Error   json.RawMessage `json:"error"`
	Steer   bool            `json:"steer"`
}

// Info describes the script as a model.
func (s Script) Info() Info {
	return Info{Name: "script:" + s.Path, Kind: "script", Help: "replays the JSON lines of a file as a model would stream them", Offline: true}
}

// Generate streams the part of the script that belongs to the prompt's number of steers.
func (s Script) Generate(ctx context.Context, p Prompt, yield func(string) error) error {
	f, err := os.Open(s.Path)
	if err != nil {
		return fmt.Errorf("model script: %w; give the path of a file with JSON lines", err)
	}
	defer f.Close()
	// A pipe may keep Read waiting; a file has no deadlines, and needs none.
	defer context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })()
	part, text := 0, halves{}
	for r, n := bufio.NewReaderSize(f, 1<<16), 1; ; n++ {
		raw, err := r.ReadBytes('\n')
		if len(raw) == 0 && err == io.EOF {
			return say(text.rest(), yield)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("model script %s: %w", s.Path, err)
		}
		line, err := parseScriptLine(raw)
		if err != nil {
			return fmt.Errorf("model script %s, line %d: %w", s.Path, n, err)
		}
		if line.Steer {
			part++
			continue
		}
		if part > len(p.Steers) {
			return say(text.rest(), yield)
		}
		if part < len(p.Steers) {
			continue
		}
		if err := line.play(ctx, &text, yield); err != nil {
			return err
		}
	}
}

func parseScriptLine(raw []byte) (scriptLine, error) {
	var l scriptLine
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

func (l scriptLine) play(ctx context.Context, text *halves, yield func(string) error) error {
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
		if err := say(text.rest(), yield); err != nil {
			return err
		}
		return errors.New("the model failed: " + errorText(l.Error))
	}
	s, err := text.join(l.Text)
	if err != nil {
		return err
	}
	if s == "" {
		return ctx.Err()
	}
	return yield(s)
}

func say(text string, yield func(string) error) error {
	if text == "" {
		return nil
	}
	return yield(text)
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
