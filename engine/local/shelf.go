package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"waferpair/engine/gguf"
	"waferpair/engine/infer"
	"waferpair/engine/infer/cache"
	"waferpair/engine/token"
)

// Shelf has the models that are loaded. Its zero value is empty.
type Shelf struct {
	// Settings returns the user's choices, which may change; nil: there are none.
	Settings func() Settings

	mu     sync.Mutex
	open   map[string]*Model   // by name
	loaded map[string]*weights // by path
	clock  int
}

// Settings are a user's choices. The zero value is what most want.
type Settings struct {
	Memory  int64          // bytes that loaded models take together; 0: a share of the computer's
	Keep    *time.Duration // how long one stays that nobody uses; nil: as long as there is room
	Threads int            // that compute; 0: as infer.Threads says
}

func (s *Shelf) settings() Settings {
	if s.Settings == nil {
		return Settings{}
	}
	return s.Settings()
}

// weights is a model file in memory. Whoever takes it gives it back; it is closed when it has left
// the shelf and nobody has it.
type weights struct {
	path  string
	stamp stamp
	size  int64

	ready chan struct{} // closed when the fields below are set
	err   error
	model *infer.Model
	vocab *token.Vocabulary
	took  int64 // bytes of the weights in memory
	kept  *cache.Cache
	noted progress

	answering atomic.Int32 // sequences that answers use

	// of the shelf's lock
	users int
	used  int       // when it was taken last, by the shelf's clock
	idle  time.Time // since when nobody has it
	gone  bool
}

// progress is how much of a file was read.
type progress struct {
	mu          sync.Mutex
	done, total int64
}

func (p *progress) set(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = max(p.done, done), total // from several goroutines
}

func (p *progress) get() (done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done, p.total
}

// stamp tells whether a file is still the one that was loaded.
type stamp struct {
	size int64
	time time.Time
	info os.FileInfo
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{},
			fmt.Errorf("look at the model file: %w; if it was moved, add it again: waferpair models add FILE", err)
	}
	return stamp{info.Size(), info.ModTime(), info}, nil
}

func (s stamp) same(o stamp) bool {
	return s.size == o.size && s.time.Equal(o.time) && os.SameFile(s.info, o.info)
}

// share is the part of the computer's memory that loaded models may take together, unless the user says how much.
const share = 0.6

// Room returns how many bytes loaded models may take together.
func (s Settings) Room() int64 {
	if s.Memory > 0 {
		return s.Memory
	}
	return int64(share * float64(Installed()))
}

// take returns a file's weights, which are loaded first if need be: wait is called until then, now
// and then, and gives up with an error. The caller gives them back.
func (s *Shelf) take(ctx context.Context, path string, wait func(done, total int64) error) (*weights, error) {
	now, err := stampOf(path)
	if err != nil {
		return nil, err
	}
	w := s.reserve(path, now)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-w.ready:
			if w.err != nil {
				s.give(w)
				return nil, w.err
			}
			return w, nil
		case <-ctx.Done():
			err = ctx.Err()
		case <-tick.C:
			err = wait(w.noted.get())
		}
		if err != nil { // it goes on loading, for the next answer
			s.give(w)
			return nil, err
		}
	}
}

// reserve returns the entry of a file, and begins to load it if there is none.
func (s *Shelf) reserve(path string, now stamp) *weights {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded == nil {
		s.loaded = map[string]*weights{}
	}
	w := s.loaded[path]
	if w != nil && (!w.stamp.same(now) || w.failed()) {
		s.drop(w)
		w = nil
	}
	if w == nil {
		w = &weights{path: path, stamp: now, size: now.size + infer.PassRoom, ready: make(chan struct{})}
		s.makeRoom(w.size)
		s.loaded[path] = w
		w.users++ // the loading's
		go func() {
			w.err = w.load(s.settings())
			close(w.ready)
			s.give(w)
		}()
	}
	s.clock++
	w.used = s.clock
	w.users++
	return w
}

// failed reports whether loading has failed: the next answer tries again.
func (w *weights) failed() bool {
	select {
	case <-w.ready:
		return w.err != nil
	default:
		return false
	}
}

// makeRoom drops models that nobody uses, the one first that was not used for longest, until a
// further one fits.
func (s *Shelf) makeRoom(size int64) {
	most := s.settings().Room()
	for {
		sum, oldest := size, (*weights)(nil)
		for _, w := range s.loaded {
			sum += w.size
			if w.users == 0 && (oldest == nil || w.used < oldest.used) {
				oldest = w
			}
		}
		if sum <= most || oldest == nil {
			return
		}
		s.drop(oldest)
	}
}

// drop takes a model from the shelf.
func (s *Shelf) drop(w *weights) {
	delete(s.loaded, w.path)
	w.gone = true
	if w.users == 0 {
		w.close()
	}
}

// give gives weights back.
func (s *Shelf) give(w *weights) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.users--; w.users > 0 {
		return
	}
	if w.gone {
		w.close()
		return
	}
	if keep := s.settings().Keep; keep != nil {
		w.idle = time.Now()
		time.AfterFunc(*keep, func() { s.leave(w, *keep) })
	}
}

// leave drops a model that nobody had for so long. If somebody had it meanwhile, a later call does.
func (s *Shelf) leave(w *weights, keep time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loaded[w.path] == w && w.users == 0 && time.Since(w.idle) >= keep {
		s.drop(w)
	}
}

// Close drops all models. Those that answer are closed when they have answered.
func (s *Shelf) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.loaded {
		s.drop(w)
	}
}

// close frees the memory; nobody has the weights.
func (w *weights) close() {
	if w.model != nil {
		w.model.Close() // and its sequences
	}
}

func (w *weights) load(o Settings) (err error) {
	f, err := gguf.Open(w.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if w.vocab, err = token.New(f); err != nil {
		return err
	}
	c, err := f.Config()
	if err == nil {
		err = fits(w.vocab, c)
	}
	if err != nil {
		return gguf.Failed("load model file", w.path, err)
	}
	if err := o.fit(f); err != nil {
		return err
	}
	if w.model, err = infer.Load(f, infer.Options{Threads: o.Threads, Progress: w.noted.set}); err != nil {
		return err
	}
	w.took = w.model.Bytes()
	w.kept = cache.New(w.model, maxKept, mostKept)
	return nil
}

// fit returns why a model takes more memory than the user gives to models.
func (s Settings) fit(f *gguf.File) error {
	if s.Memory <= 0 {
		return nil // the rest of the computer's memory is the bound
	}
	return infer.Fit(f, s.Memory, "config.toml gives models", "raise memory below [model_files] there")
}
