package spending

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Entry is a request in the ledger.
type Entry struct {
	ID        string    `json:"id"`
	At        time.Time `json:"at"`
	Model     string    `json:"model"`
	Project   string    `json:"project,omitempty"` // the folder; "" for a test of a provider
	Dollars   *float64  `json:"usd,omitempty"`     // nil: the price is unknown
	Input     int       `json:"input,omitempty"`   // tokens
	Output    int       `json:"output,omitempty"`
	Estimated bool      `json:"estimated,omitempty"`    // the provider did not count the tokens
	Open      bool      `json:"open,omitempty"`         // it is being answered, or its process was killed
	Reserved  float64   `json:"reserved_usd,omitempty"` // of an open one: what its answer will cost, perhaps

	PerToken float64 `json:"-"` // dollars, of the answer; to reserve by
	Limit    int     `json:"-"` // tokens of the answer, at most; 0: unknown
}

// dollars is what is known of the cost.
func (e Entry) dollars() float64 {
	if e.Dollars == nil {
		return 0
	}
	return *e.Dollars
}

// Ledger is the ledger of a user. All of its methods may be called from any goroutine.
type Ledger struct {
	folder string
	Now    func() time.Time

	mu        sync.Mutex
	day       *dayFile // the one read last
	unwritten map[string][]Entry
}

// In returns the ledger in the user's state folder.
func In(stateHome string) *Ledger {
	return &Ledger{folder: filepath.Join(stateHome, "waferpair", "spending"), Now: time.Now,
		unwritten: map[string][]Entry{}}
}

// dayFormat is the name of a day.
const dayFormat = "2006-01-02"

// Request is a request in flight.
type Request struct {
	ledger *Ledger
	day    string
	entry  Entry
}

// Begin notes a request that is about to be sent. e has its model, its project, and the tokens and
// the price of its prompt. A budget of 0 is none. *OverError means that it must not be sent.
//
// One request at a time may exceed the budget by its answer, which nobody knows. While others are answered,
// what they and this one will take is kept back (reserve.go): otherwise all of them exceed it together.
func (l *Ledger) Begin(e Entry, budget float64) (*Request, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.ID, e.At, e.Open, e.Estimated = newID(), l.Now(), true, true
	r := &Request{l, e.At.Format(dayFormat), e}
	err := l.locked(r.day, func(d *dayFile) error {
		all := d.with(l.unwritten[r.day])
		r.entry.Reserved = all.reserve(e)
		if budget > 0 && e.Dollars != nil {
			if over := all.over(r.entry, budget); over != nil {
				return over
			}
		}
		e = r.entry
		return l.write(d, e)
	})
	var over *OverError
	switch {
	case errors.As(err, &over):
		return nil, err
	case err != nil && budget > 0 && e.Dollars != nil:
		return nil, fmt.Errorf("check the daily budget: %w", err)
	case err != nil:
		l.unwritten[r.day] = append(l.unwritten[r.day], e)
	}
	return r, nil
}

// End notes what a request has cost: the tokens, dollars, and whether they are estimated. The error
// says that this was not written: it counts in this process only, until something can be written.
func (r *Request) End(input, output int, dollars *float64, estimated bool) error {
	l, e := r.ledger, r.entry
	e.Input, e.Output, e.Dollars, e.Estimated, e.Open, e.Reserved = input, output, dollars, estimated, false, 0
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.locked(r.day, func(d *dayFile) error { return l.write(d, e) })
	if err != nil {
		l.unwritten[r.day] = append(l.unwritten[r.day], e)
		return fmt.Errorf("note what a request cost: %w", err)
	}
	return nil
}

// write appends a request, and those that could not be written before. l.mu and the file's lock are
// held.
func (l *Ledger) write(d *dayFile, e Entry) error {
	all := append(l.unwritten[d.day], e)
	var lines []byte
	for _, e := range all {
		b, err := json.Marshal(e)
		if err != nil {
			return err
		}
		lines = append(append(lines, b...), '\n')
	}
	if err := d.append(lines); err != nil {
		return err
	}
	delete(l.unwritten, d.day)
	return nil
}

// locked runs do on a day's file as it is now, while no other process changes it.
func (l *Ledger) locked(day string, do func(*dayFile) error) error {
	if err := os.MkdirAll(l.folder, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(l.folder, ".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	return l.read(day, os.O_RDWR|os.O_CREATE, do)
}

// read reads what is new in a day's file. l.mu is held.
func (l *Ledger) read(day string, flags int, do func(*dayFile) error) error {
	if l.day == nil || l.day.day != day {
		l.day = newDayFile(l.folder, day)
	}
	d := l.day
	f, err := os.OpenFile(d.path, flags, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	d.file = f
	defer func() { d.file = nil }()
	if err := d.catchUp(); err != nil {
		l.day = nil
		return err
	}
	return do(d)
}

// Spent sums up the days from one to another, both included. A day without a file cost nothing.
func (l *Ledger) Spent(from, to time.Time) (Sum, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := Sum{}
	for day := noon(from); !day.After(noon(to)); day = day.AddDate(0, 0, 1) {
		name := day.Format(dayFormat)
		err := l.read(name, os.O_RDONLY, func(d *dayFile) error {
			all = all.Add(d.sum(l.unwritten[name]))
			return nil
		})
		if errors.Is(err, fs.ErrNotExist) {
			all, err = all.Add(newDayFile(l.folder, name).sum(l.unwritten[name])), nil
		}
		if err != nil {
			return all, fmt.Errorf("read what requests cost: %w", err)
		}
	}
	return all, nil
}

// Today sums up this day.
func (l *Ledger) Today() (Sum, error) { now := l.Now(); return l.Spent(now, now) }

// noon is the middle of a day: every day has one, also those at which the clocks change.
func noon(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 12, 0, 0, 0, t.Location())
}

func newID() string {
	b := make([]byte, 8)
	_, _ = io.ReadFull(rand.Reader, b) // never fails
	return hex.EncodeToString(b)
}
