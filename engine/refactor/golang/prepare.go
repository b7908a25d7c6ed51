package golang

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"waferpair/engine/refactor"
)

// What the user is told while the go command makes export data, and while it
// says what is there.
const (
	compiling = "Compiling dependencies (go list)"
	reading   = "Reading the types of dependencies (go list)"
)

// preparations are the runs of the go command that nobody waits for: they fill
// the build cache. An operation that comes while one runs has its types from source.
type preparations struct {
	mu      sync.Mutex
	running map[string]chan struct{} // by module folder
	done    map[string]string        // the state that was prepared last
}

func newPreparations() *preparations {
	return &preparations{running: map[string]chan struct{}{}, done: map[string]string{}}
}

// Prepare has the go command make what all packages of the project import.
func (l language) Prepare(ctx context.Context, src refactor.Source) error {
	p, err := openProject(ctx, src)
	if err != nil {
		return err
	}
	outside := p.outsideByModule()
	for _, root := range sortedKeys(outside) {
		dir := filepath.Join(src.Root(), filepath.FromSlash(root))
		if err := l.prepared.run(ctx, dir, outside[root]); err != nil {
			return err
		}
	}
	return nil
}

// outsideByModule are the imports from outside the project, by module folder. A
// folder that is in no module asks for nothing: it may be no Go project at all.
func (p *project) outsideByModule() map[string][]string {
	sets := map[string]map[string]bool{}
	for f, imps := range p.allImports() {
		mod := p.mods.of(dirOf(f))
		if mod == nil || strings.Contains("/"+f, "/testdata/") {
			continue
		}
		for _, imp := range imps {
			if _, ok := p.mods.resolve(dirOf(f), imp); !ok && imp != "C" && imp != "unsafe" {
				if sets[mod.dir] == nil {
					sets[mod.dir] = map[string]bool{}
				}
				sets[mod.dir][imp] = true
			}
		}
	}
	out := map[string][]string{}
	for root, set := range sets {
		out[root] = keys(set)
	}
	return out
}

// run prepares a module, unless that was done for this state of it or is being done.
func (s *preparations) run(ctx context.Context, dir string, imports []string) error {
	state := stateOf(dir, imports)
	s.mu.Lock()
	if s.running[dir] != nil || s.done[dir] == state {
		s.mu.Unlock()
		return nil
	}
	over := make(chan struct{})
	s.running[dir] = over
	s.mu.Unlock()
	_, err := askGo(goRun{ctx: ctx, dir: dir, env: []string{"CGO_ENABLED=0"}, gentle: true, says: compiling},
		exportArgs(), imports)
	s.mu.Lock()
	delete(s.running, dir)
	if ctx.Err() == nil {
		s.done[dir] = state // also when it failed: it would again
	}
	s.mu.Unlock()
	close(over)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// stateOf is what the export data of a module's imports depend on, and is likely to change.
func stateOf(dir string, imports []string) string {
	h := sha256.New()
	for _, name := range []string{"go.mod", "go.sum", "go.work", "go.work.sum"} {
		b, _ := os.ReadFile(filepath.Join(dir, name)) // none is a state, too
		h.Write(append(b, 0))
	}
	h.Write([]byte(strings.Join(imports, "\n")))
	return string(h.Sum(nil))
}

// counting tells of work every second until it is done.
func counting(ctx context.Context, what string) (done func()) {
	tell := refactor.ProgressOf(ctx)
	tell(what, 0, false)
	began, stop, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				tell(what, int(time.Since(began).Seconds()), false)
			case <-stop:
				tell(what, 0, true)
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
	}
}
