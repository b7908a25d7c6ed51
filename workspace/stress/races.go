//go:build unix

package stress

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"waferpair/workspace"
)

// Races makes another process save the same file at the same time as we do, n times, in
// dir. The oracle: a version that the other program completed is on disk, or was passed to
// us; and the version on disk was written by somebody.
func Races(ctx context.Context, dir string, n int) (Report, error) {
	return races(ctx, dir, n, safeSave)
}

// save saves our side's version; stress_test.go has one that loses versions.
type save func(context.Context, *workspace.Folder, workspace.Write) error

func safeSave(ctx context.Context, f *workspace.Folder, w workspace.Write) error {
	_, err := f.Save(ctx, []workspace.Write{w})
	return err
}

func races(ctx context.Context, dir string, n int, how save) (Report, error) {
	r := &racing{how: how, handed: map[[32]byte]bool{}, report: Report{Counts: map[string]int{}}}
	start := time.Now()
	stop, err := r.startOtherProgram()
	if err != nil {
		return r.report, err
	}
	defer stop()
	if r.folder, err = workspace.Open(dir, workspace.Options{Preserve: r.preserve}); err != nil {
		return r.report, err
	}
	for r.report.Runs < n && err == nil {
		err = errors.Join(ctx.Err(), r.race(ctx, r.report.Runs))
		r.report.Runs++
	}
	err = errors.Join(err, r.folder.Close())
	r.judgeMissing()
	r.report.Elapsed = time.Since(start)
	return r.report, err
}

type racing struct {
	how     save
	folder  *workspace.Folder
	orders  *json.Encoder
	answers *json.Decoder
	missing []missing
	report  Report

	mu     sync.Mutex
	handed map[[32]byte]bool // outside versions that were passed to us
}

// missing is a version that was neither on disk nor passed to us when its race ended.
// Closing the folder may still pass it to us.
type missing struct {
	hash [32]byte
	what string
}

func (r *racing) startOtherProgram() (stop func(), err error) {
	cmd, err := self("outsider")
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.orders, r.answers = json.NewEncoder(in), json.NewDecoder(out)
	return func() { _ = in.Close(); _ = cmd.Wait() }, cmd.Start()
}

func (r *racing) preserve(d workspace.Displaced) error {
	r.hand(d.Hash)
	r.count("displaced")
	return nil
}

func (r *racing) hand(hash [32]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handed[hash] = true
}

func (r *racing) has(hash [32]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.handed[hash]
}

func (r *racing) count(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.Counts[what]++
}

// race is one save of the other program against two of ours.
func (r *racing) race(ctx context.Context, i int) error {
	name := fmt.Sprintf("file%d.txt", i)
	path := filepath.Join(r.folder.Root(), name)
	start, theirs := version("start", i), version("theirs", i)
	versions := map[[32]byte]bool{sum(start): true, sum(theirs): true}
	if err := os.WriteFile(path, start, 0o644); err != nil {
		return err
	}
	o := randomOrder(path, theirs)
	if rand.IntN(8) == 0 { // a hard link makes our saves write in place
		if err := os.Link(path, path+".link"); err != nil {
			return err
		}
		defer os.Remove(path + ".link")
		o.Aim = false
		r.count("hard-linked")
	}
	if err := r.orders.Encode(o); err != nil {
		return err
	}
	var answer string
	if err := r.answers.Decode(&answer); err != nil { // it is ready
		return err
	}
	if err := r.ourSaves(ctx, name, sum(start), versions); err != nil {
		return err
	}
	if err := r.answers.Decode(&answer); err != nil {
		return err
	}
	if err := r.folder.Settle(ctx); err != nil {
		return err
	}
	r.judge(path, o, answer == "", versions)
	return os.RemoveAll(path)
}

// randomOrder starts and pauses at moments that are spread over our saves, which take a few
// milliseconds, or aims at the exchange.
func randomOrder(path string, content []byte) order {
	hows := []string{"rename", "in-place", "backup", "mmap"}
	o := order{Path: path, Content: content, How: hows[rand.IntN(len(hows))]}
	o.Delay = time.Duration(rand.IntN(3000)) * time.Microsecond
	if rand.IntN(3) > 0 {
		o.Aim, o.Early, o.Delay = true, rand.IntN(4) > 0, time.Duration(rand.IntN(60))*time.Microsecond
	}
	if rand.IntN(2) == 0 {
		o.Pause = time.Duration(rand.IntN(1500)) * time.Microsecond
	}
	return o
}

// ourSaves saves twice, as the app does: a stale save is repeated, based on the version on
// disk, which we then know.
func (r *racing) ourSaves(ctx context.Context, name string, before [32]byte, versions map[[32]byte]bool) error {
	for k := range 2 {
		spin(time.Duration(rand.IntN(500)) * time.Microsecond)
		ours := version("ours", k)
		versions[sum(ours)] = true
		w := workspace.Write{Path: name, Op: workspace.Update, Before: before, Content: ours}
		err := r.how(ctx, r.folder, w)
		var stale *workspace.StaleError
		switch {
		case err == nil:
			before = sum(ours)
		case errors.As(err, &stale) && stale.Disk != nil:
			r.count("stale")
			r.hand(stale.Disk.Hash)
			before = stale.Disk.Hash
		case errors.As(err, &stale):
			r.count("stale: no file at that moment")
		default:
			return err
		}
	}
	return nil
}

// judge is the oracle.
func (r *racing) judge(path string, o order, completed bool, versions map[[32]byte]bool) {
	disk, err := os.ReadFile(path)
	what := fmt.Sprintf("%s by %s (delay %v, pause %v)", filepath.Base(path), o.How, o.Delay, o.Pause)
	if err != nil {
		r.report.Broken = append(r.report.Broken, fmt.Sprintf("%s: %v", what, err))
		return
	}
	if !completed {
		r.count("outside save failed")
		return
	}
	r.count(o.How)
	switch {
	case bytes.Equal(disk, o.Content):
		r.count("theirs on disk")
	case !versions[sum(disk)]:
		r.report.Broken = append(r.report.Broken, fmt.Sprintf("%s: nobody wrote these %d bytes", what, len(disk)))
	case !r.has(sum(o.Content)):
		r.missing = append(r.missing, missing{sum(o.Content), what})
	}
}

// judgeMissing checks the missing versions again after the folder is closed.
func (r *racing) judgeMissing() {
	for _, m := range r.missing {
		if r.has(m.hash) {
			r.count("handed over at Close")
		} else {
			r.report.Lost = append(r.report.Lost, m.what)
		}
	}
	entries, _ := os.ReadDir(r.folder.Root())
	for _, e := range entries {
		if workspace.IsTemp(e.Name()) {
			r.report.Broken = append(r.report.Broken, "left over: "+e.Name())
		}
	}
}

// version returns unique content of a random length.
func version(who string, i int) []byte {
	line := fmt.Sprintf("%s %d %x\n", who, i, rand.Uint64())
	return bytes.Repeat([]byte(line), 1+rand.IntN(500))
}

func sum(b []byte) [32]byte { return sha256.Sum256(b) }
