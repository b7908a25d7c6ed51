package app

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"waferpair/app/disk"
	"waferpair/app/live"
	"waferpair/engine"
	"waferpair/history"
)

// documents are the open files.
type documents struct {
	*core
	*disk.Intake
	mu      sync.Mutex // guards all below, and every document
	docs    map[string]*live.Document
	typed   map[*live.Document]bool   // with something that is not recorded, for the keeper
	taken   map[string]history.TurnID // by path: which running turn has the file, see hold
	touched func()                    // called when a text changed
	care    func()                    // called when there is something for the keeper to do
}

// host is the project as an open file needs it.
type host struct{ *documents }

func (h host) Append(ctx context.Context, op history.Op) (history.Receipt, error) {
	return h.append(ctx, op)
}

func (h host) Draft(ctx context.Context, drafts ...history.Draft) error {
	return h.store.PutDraft(ctx, drafts...)
}

func (h host) Changed(path string) {
	h.opt.Listener.TextChanged(path)
	h.touched()
}

func (h host) Listed()                        { h.opt.Listener.FilesChanged() }
func (h host) Notice(says string)             { h.notice(says) }
func (h host) Trouble(path string, err error) { h.trouble(path, err) }

// listTyped is the documents with unrecorded typing, by path.
func (p *documents) listTyped() []*live.Document {
	return slices.SortedFunc(maps.Keys(p.typed), func(a, b *live.Document) int { return strings.Compare(a.Path, b.Path) })
}

// recordAll ends every burst. It goes on after a failure.
func (p *documents) recordAll(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, d := range p.listTyped() {
		errs = append(errs, d.RecordTyped(ctx))
	}
	return errors.Join(errs...)
}

// followTaken keeps a renamed file with the turn that has it: it then has both names,
// so that nobody else makes another file under the old one meanwhile. p.mu is held.
func (p *documents) followTaken(from, to string) {
	if turn := p.taken[from]; turn != 0 {
		p.taken[to] = turn
	}
}

// freeOfTurns refuses what would change, in the name of one turn, a file that a running
// turn has. p.mu is held.
func (p *documents) freeOfTurns(paths ...string) error {
	for _, path := range paths {
		if turn := p.taken[path]; turn != 0 {
			return &engine.Busy{Path: path, Turn: int64(turn)}
		}
	}
	return nil
}
