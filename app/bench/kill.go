package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"waferpair/app"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/stress"
)

// benchKill kills the program during streaming turns.
func benchKill(ctx context.Context, e *Env) error {
	r, err := Kills(ctx, e, e.scale(300))
	if err != nil {
		return err
	}
	e.Log(r.String())
	e.Report(Result{Measure: fmt.Sprintf("kill -9 of %d streaming turns: acknowledged edits lost", r.Runs),
		Value: float64(len(r.Lost)), Unit: "edits", AtMost: true, Note: strings.Join(r.Lost, "; ")})
	e.Report(Result{Measure: fmt.Sprintf("kill -9 of %d streaming turns: torn or foreign files", r.Runs),
		Value: float64(len(r.Torn)), Unit: "files", AtMost: true, Note: strings.Join(r.Torn, "; ")})
	return nil
}

// benchKillOwner kills the process to which commands are attached.
func benchKillOwner(ctx context.Context, e *Env) error {
	r, err := OwnerKills(ctx, e, e.scale(300))
	if err != nil {
		return err
	}
	e.Log(r.String())
	e.Report(Result{Measure: fmt.Sprintf("kill -9 of the owner in %d turns of others: acknowledged edits lost", r.Runs),
		Value: float64(len(r.Lost)), Unit: "edits", AtMost: true, Note: strings.Join(r.Lost, "; ")})
	e.Report(Result{Measure: fmt.Sprintf("kill -9 of the owner in %d turns of others: torn or foreign files", r.Runs),
		Value: float64(len(r.Torn)), Unit: "files", AtMost: true, Note: strings.Join(r.Torn, "; ")})
	return nil
}

// KillReport is the result of a series of kills.
type KillReport struct {
	Runs  int
	Acked int
	Lost  []string // acknowledged edits that are gone; each is a failure
	Torn  []string // files with content unknown to the history, or not their newest after a reopening
	Slow  time.Duration
}

func (r KillReport) String() string {
	return fmt.Sprintf("%d kills, %d acknowledged edits, %d lost, %d torn, slowest reopening %v", r.Runs, r.Acked,
		len(r.Lost), len(r.Torn), r.Slow.Round(time.Millisecond))
}

// killed is the project whose turns are killed.
type killed struct {
	e      *Env
	dir    string
	script string
	report KillReport
	rand   *rand.Rand

	attached bool // kill the process to which the turn's command is attached
}

// Kills streams an answer into a project and kills the process at a random moment, n times.
// Every acknowledged edit must be in the history, every file must hold a version of the
// history, and after the next opening it must hold the newest one.
func Kills(ctx context.Context, e *Env, n int) (KillReport, error) { return kills(ctx, e, n, false) }

// OwnerKills does the same with commands that are attached to another process, and kills
// that process. The commands report which edits were acknowledged.
func OwnerKills(ctx context.Context, e *Env, n int) (KillReport, error) {
	return kills(ctx, e, n, true)
}

func kills(ctx context.Context, e *Env, n int, attached bool) (KillReport, error) {
	dir, script, _, err := e.scripted(0)
	if err != nil {
		return KillReport{}, err
	}
	k := &killed{e: e, dir: dir, script: script, rand: rand.New(rand.NewPCG(uint64(n), 7)), attached: attached}
	for k.report.Runs < n {
		if err := k.once(ctx); err != nil {
			return k.report, err
		}
		k.report.Runs++
		if k.report.Runs%50 == 0 {
			e.Log(k.report.String())
		}
	}
	return k.report, nil
}

func (k *killed) once(ctx context.Context) error {
	if err := k.writeAnswer(); err != nil {
		return err
	}
	acked, err := k.streamAndKill(ctx)
	if err != nil {
		return err
	}
	k.report.Acked += len(acked)
	return k.verify(ctx, acked)
}

// writeAnswer writes a script for the files as they are now: it changes lines, creates a
// file, and fills it slowly.
func (k *killed) writeAnswer() error {
	f, err := os.Create(k.script)
	if err != nil {
		return err
	}
	defer f.Close()
	enc := json.NewEncoder(f)
	say := func(text string) {
		for at := 0; at < len(text); at += 16 {
			_ = enc.Encode(map[string]any{"after_ms": k.rand.Float64(), "text": text[at:min(at+16, len(text))]})
		}
	}
	say("*** Begin Patch\n")
	for i := range 8 {
		name := fmt.Sprintf("f%02d.txt", i)
		b, err := os.ReadFile(filepath.Join(k.dir, name))
		if err != nil {
			return err
		}
		say(k.changeLines(name, strings.Split(string(b), "\n")))
	}
	say(fmt.Sprintf("*** Add File: new/n%d.txt\n", k.report.Runs))
	for i := range 30 {
		say(fmt.Sprintf("+new line %d\n", i))
	}
	say("*** End Patch\n")
	return f.Close()
}

func (k *killed) changeLines(name string, lines []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Update File: %s\n", name)
	for part := range 3 {
		at := 20 + part*100 + k.rand.IntN(60)
		fmt.Fprintf(&b, "@@\n %s\n-%s\n+%s, run %d.%d\n+inserted in run %d.%d\n", lines[at], lines[at+1], lines[at+1],
			k.report.Runs, part, k.report.Runs, part)
	}
	return b.String()
}

// streamAndKill returns the edits that were acknowledged before the kill. Every second run
// counts the moment of the kill from the first acknowledged edit, so that half of the kills
// hit a turn that is writing, however slowly the computer starts one.
func (k *killed) streamAndKill(ctx context.Context) (map[int64]string, error) {
	cmd := k.e.command(ctx, "edit", "--json", "-C", k.dir, "--model", "script:"+k.script, "go on")
	cmd.Stderr = nil
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	victim := cmd
	if k.attached {
		if victim, err = k.e.serving(ctx, k.dir); err != nil {
			return nil, err
		}
		defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }() // the turn may have ended before the kill
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	wait := time.Duration(k.rand.IntN(600)) * time.Millisecond
	writing, from := k.report.Runs%2 == 1, wait
	if writing {
		from = time.Hour // until the first edit
	}
	timer := time.AfterFunc(from, func() { _ = victim.Process.Kill() })
	defer timer.Stop()
	acked := map[int64]string{}
	for r := bufio.NewReader(out); ; {
		line, err := r.ReadBytes('\n')
		var ev struct {
			Event, Path string
			ID          int64
		}
		if err == nil && json.Unmarshal(line, &ev) == nil && ev.Event == "edit.acked" {
			if writing && len(acked) == 0 {
				timer.Reset(wait / 4) // the rest of a turn takes about this long
			}
			acked[ev.ID] = ev.Path
		}
		if errors.Is(err, io.EOF) {
			_ = cmd.Wait() // killed, or ended before
			return acked, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// verify checks the files as the kill left them, reopens the project, and checks the files
// again.
func (k *killed) verify(ctx context.Context, acked map[int64]string) error {
	left, err := k.contents()
	if err != nil {
		return err
	}
	start := time.Now()
	p, err := app.Open(ctx, k.dir, app.Options{DataHome: filepath.Join(k.e.Dir, "data")})
	if err != nil {
		return fmt.Errorf("reopen after a kill: %w", err)
	}
	defer p.Close()
	k.report.Slow = max(k.report.Slow, time.Since(start))
	for id, path := range acked {
		if ed, err := p.History().Get(ctx, history.EditID(id)); err != nil || ed.Path != path {
			k.report.Lost = append(k.report.Lost, fmt.Sprintf("edit %d of %s: %v", id, path, err))
		}
	}
	for path, b := range left {
		if workspace.IsTemp(path) {
			continue // of the save that the kill interrupted; the reopening has removed it
		}
		if err := k.known(ctx, p, path, b); err != nil {
			return err
		}
	}
	return k.newest(ctx, p)
}

func (k *killed) contents() (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(k.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(k.dir, path)
		out[filepath.ToSlash(rel)] = b
		return err
	})
	return out, err
}

// known checks that the file holds one of its versions.
func (k *killed) known(ctx context.Context, p *app.Project, path string, b []byte) error {
	edits, err := p.History().List(ctx, history.Filter{Path: path, Limit: 40})
	if err != nil {
		return err
	}
	for i := len(edits); i >= 0; i-- {
		id := history.EditID(0)
		if i > 0 {
			id = edits[i-1].ID
		}
		if i > 0 && edits[i-1].Author == history.Outside {
			break // the reopening recorded unknown content as an outside edit: it was torn or foreign
		}
		v, err := p.History().At(ctx, id, path)
		if err != nil {
			return err
		}
		if v.Exists && bytes.Equal(v.Bytes, b) {
			return nil
		}
	}
	k.report.Torn = append(k.report.Torn, fmt.Sprintf("run %d: %s was left with content that no edit made",
		k.report.Runs, path))
	return nil
}

// newest checks after the reopening that every file is at its newest version, and that
// there are no other files.
func (k *killed) newest(ctx context.Context, p *app.Project) error {
	now, err := k.contents()
	if err != nil {
		return err
	}
	paths, err := p.History().Paths(ctx, history.Newest)
	if err != nil {
		return err
	}
	for _, f := range paths {
		if history.HashBytes(now[f.Path]) != f.Hash {
			k.report.Torn = append(k.report.Torn, fmt.Sprintf("run %d: %s is not at its newest version after reopening",
				k.report.Runs, f.Path))
		}
		delete(now, f.Path)
	}
	for path := range now {
		k.report.Torn = append(k.report.Torn, fmt.Sprintf("run %d: %s is left over", k.report.Runs, path))
	}
	return nil
}

// benchRace runs another process that saves the same files at the same time.
func benchRace(ctx context.Context, e *Env) error {
	dir, err := e.sub("race")
	if err != nil {
		return err
	}
	r, err := stress.Races(ctx, dir, e.scale(3000))
	if err != nil {
		return err
	}
	e.Log(r.String())
	e.Report(Result{Measure: fmt.Sprintf("%d races with an outside program: versions lost", r.Runs),
		Value: float64(len(r.Lost) + len(r.Broken)), Unit: "versions", AtMost: true,
		Note: strings.Join(append(append([]string{fmt.Sprint(r.Counts)}, r.Lost...), r.Broken...), "; ")})
	return nil
}
