package server

import (
	"sync"
	"time"

	"waferpair/app"
)

// progress forwards the progress of work that takes long enough to be noticed.
type progress struct {
	mu    sync.Mutex
	began map[string]time.Time
}

const progressAfter = 300 * time.Millisecond

func (o *opened) progressed(p app.Progress) {
	if o.steps.due(p) {
		o.notify(func(k *known) { k.progressed(Progress{What: p.What, Done: p.Done, Total: p.Total, Model: p.Model}) })
	}
}

// due reports whether to show a step. The last one is shown if earlier ones were.
func (s *progress) due(p app.Progress) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	began, ok := s.began[p.What]
	if !ok {
		if s.began == nil {
			s.began = map[string]time.Time{}
		}
		began = time.Now()
		s.began[p.What] = began
	}
	if p.Total > 0 && p.Done >= p.Total {
		delete(s.began, p.What)
	}
	return time.Since(began) >= progressAfter
}

// startProgress shows work of unknown length until done is called.
func (o *opened) startProgress(what string) (done func()) {
	show := time.AfterFunc(progressAfter, func() {
		o.notify(func(k *known) { k.progressed(Progress{What: what}) })
	})
	return func() {
		if !show.Stop() {
			o.notify(func(k *known) { k.progressed(Progress{What: what, Done: 1, Total: 1}) })
		}
	}
}
