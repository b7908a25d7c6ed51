package drivertest

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"waferpair/engine"
	"waferpair/engine/model"
)

// Writer is a driver without a model. It writes files itself, as other programs do: in
// pieces, over each other, by renaming, and some after its turn has ended.
type Writer struct {
	Root string // the folder that it writes in
	// Rand cuts writes in place into pieces, with a pause after each.
	Rand *rand.Rand
	// Writes are the writes of its turn, in order. Late are the writes that follow the
	// turn.
	Writes, Late []Write

	late sync.WaitGroup
	errs []error // of Late
}

// Write is one file to write or remove.
type Write struct {
	Path    string // below Root
	Content string
	How     How
}

// How is the way in which a file is written.
type How int

// Torn writes in place, in pieces, so that others see incomplete content. Renamed writes a
// new file and renames it over the old one. Removed deletes the file.
const (
	Torn How = iota
	Renamed
	Removed
)

// Info describes it.
func (w *Writer) Info() model.Info { return model.Info{Name: "writer", Kind: "test", Offline: true} }

// Drive claims the files, writes them, and releases them.
func (w *Writer) Drive(ctx context.Context, _ engine.Brief, h engine.Host) (engine.Ending, error) {
	var paths []string
	for _, write := range w.Writes {
		if !slices.Contains(paths, write.Path) {
			paths = append(paths, write.Path)
		}
	}
	release, err := h.Claim("", paths)
	if err != nil {
		return engine.Ending{}, err
	}
	for _, write := range w.Writes {
		if stopped(ctx, h) {
			release()
			return engine.Ending{Result: model.Result{Stop: model.StopCut}}, nil
		}
		if err := w.do(write); err != nil {
			return engine.Ending{}, err
		}
	}
	words := release().String() + "\n"
	next := model.Say(func(d model.Delta) error { return h.Record(0, after(d)) }, words, 0)
	w.late.Go(func() {
		for _, write := range w.Late {
			w.errs = append(w.errs, w.do(write))
		}
	})
	return engine.Ending{Result: model.Result{Stop: model.StopEnd}, Rounds: 1}, next
}

// after moves a delta's item behind the request.
func after(d model.Delta) model.Delta {
	switch d := d.(type) {
	case model.Begin:
		d.At++
		return d
	case model.Text:
		d.At++
		return d
	case model.End:
		d.At++
		return d
	}
	return d
}

// stopped receives the user's commands and reports whether one is a stop.
func stopped(ctx context.Context, h engine.Host) bool {
	for {
		select {
		case c := <-h.Commands():
			if c.Kind == engine.CommandSteer {
				h.Emit(engine.Steered{Text: c.Text, Steer: c.Steer, State: engine.SteerFailed}) // it does not take instructions
			}
			if c.Kind == engine.CommandStop {
				return true
			}
		case <-ctx.Done():
			return true
		default:
			return false
		}
	}
}

// Wait blocks until the late writes are done.
func (w *Writer) Wait() error {
	w.late.Wait()
	return errors.Join(w.errs...)
}

func (w *Writer) do(write Write) error {
	path := filepath.Join(w.Root, write.Path)
	switch write.How {
	case Removed:
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	case Renamed:
		if err := os.WriteFile(path+".new", []byte(write.Content), 0o644); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	for rest := write.Content; rest != "" && err == nil; {
		n := 1 + w.Rand.IntN(len(rest))
		_, err = f.WriteString(rest[:n])
		rest = rest[n:]
		time.Sleep(time.Duration(w.Rand.IntN(3)) * time.Millisecond)
	}
	return errors.Join(err, f.Close())
}
