// Package script is a model that replays a file as a model would stream it. Tests,
// benchmarks and demonstrations use it.
package script

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"waferpair/engine/model"
)

// Model replays the file at Path.
//
// Each line is one JSON object: {"after_ms":N,"text":"..."} waits N ms and then streams the
// text, {"error":"..."} fails the turn. A line {"steer":true} ends the part that is played
// first; the lines after it are the model's answer to the first steer, up to the next such
// line. A character may be split over two texts, as hosted models do it.
//
// The text is a message unless an item was opened for it:
//
//	{"item":{"type":"reasoning"}}   the following text is of this item, in the names of
//	                                the Responses API; the item before it ends here
//	{"item":{...},"at":2}           opens it as item 2 beside the open items
//	{"text":"...","at":2}           text of item 2
//	{"end":true,"at":2}             ends item 2; without "at", the newest open item
//	{"usage":{...}}                 the tokens of the answer, instead of an estimate
type Model struct{ Path string }

// Info describes the script as a model.
func (s Model) Info() model.Info {
	return model.Info{Name: "script:" + s.Path, Kind: "script",
		Help: "replays the JSON lines of a file as a model would stream them", Offline: true}
}

// Opener opens scripts by the name script:FILE.
var Opener = model.Opener{
	Prefix: "script:", Rest: "FILE", Help: "replays the JSON lines of FILE as a model would stream them",
	Open: func(rest string) (model.Model, error) { return Model{Path: rest}, nil },
}

// Generate streams the part of the script for the prompt's number of steers.
func (s Model) Generate(ctx context.Context, p model.Prompt, yield func(model.Delta) error) (model.Result, error) {
	out := player{yield: yield, usage: model.Usage{Input: estimate(p), Estimated: true}}
	err := s.play(ctx, max(0, len(p.Asked())-1), &out)
	if err != nil {
		return model.Result{Stop: model.StopCut, Usage: out.usage}, err
	}
	return model.Result{Stop: out.stop(), Usage: out.usage}, nil
}

// Count estimates the tokens of a prompt: a recording has no tokenizer.
func (s Model) Count(p model.Prompt) (n int, exact bool) { return estimate(p), false }

func estimate(p model.Prompt) int {
	n := 0
	for _, i := range p.Items {
		n += len(i.Text())
	}
	return tokens(n)
}

// tokens estimates the number of tokens: one for four bytes.
func tokens(bytes int) int { return (bytes + 3) / 4 }

// play streams one part of the script.
func (s Model) play(ctx context.Context, part int, out *player) error {
	f, err := os.Open(model.File(ctx, s.Path))
	if err != nil {
		if no := (*fs.PathError)(nil); errors.As(err, &no) {
			no.Path = s.Path // as the user named it
		}
		return fmt.Errorf("model script: %w; give the path of a file with JSON lines", err)
	}
	defer f.Close()
	// Reading from a pipe may block; a file has no deadlines and needs none.
	defer context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })()
	now := 0
	for r, n := bufio.NewReaderSize(f, 1<<16), 1; ; n++ {
		raw, err := r.ReadBytes('\n')
		if len(raw) == 0 && err == io.EOF {
			return out.close()
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
			now++
			continue
		}
		if now > part {
			return out.close()
		}
		if now < part {
			continue
		}
		if err := l.play(ctx, out); err != nil {
			return err
		}
	}
}

var _ model.Counter = Model{}
