package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waferpair/workspace/text"
)

// past is a random history, with every version that it has.
type past struct {
	s       *Store
	r       *rand.Rand
	texts   map[string]string            // the present ones, on the current branch
	at      map[EditID]map[string]string // the contents of all files after an edit
	ids     []EditID
	waiting map[EditID]bool // edits of the model that nobody accepted
	careful bool            // no edit waits
}

func newPast(t testing.TB, s *Store, seed uint64) *past {
	p := &past{s: s, r: rand.New(rand.NewPCG(seed, seed)), texts: map[string]string{}, at: map[EditID]map[string]string{},
		waiting: map[EditID]bool{}}
	for i := range 3 {
		p.texts[fmt.Sprintf("f%d", i)] = p.lines(40)
	}
	baseline(t, s, p.texts)
	return p
}

// lines returns n lines of incompressible letters.
func (p *past) lines(n int) string {
	var b strings.Builder
	for range n {
		for range 60 {
			b.WriteByte(byte('!' + p.r.IntN(90)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// grow records n edits; one in two hundred of the model's is never accepted.
func (p *past) grow(t testing.TB, n int) {
	t.Helper()
	ctx := context.Background()
	var accept []EditID
	for range n {
		names := make([]string, 0, len(p.texts))
		for name := range p.texts {
			names = append(names, name)
		}
		slices.Sort(names)
		name := names[p.r.IntN(len(names))]
		old := p.texts[name]
		author, e := User, NewEdit{}
		switch p.r.IntN(200) {
		case 0:
			to := fmt.Sprintf("r%d", len(p.ids))
			e = NewEdit{Path: name, Kind: Rename, To: to}
			delete(p.texts, name)
			p.texts[to] = old
		case 1:
			name = fmt.Sprintf("n%d", len(p.ids))
			p.texts[name] = p.lines(5)
			e = NewEdit{Path: name, Kind: Create, Content: []byte(p.texts[name])}
		default:
			if p.r.IntN(2) == 0 {
				author = Model
			}
			from := text.Byte(p.r.IntN(len(old)))
			to := min(text.Byte(len(old)), from+text.Byte(p.r.IntN(200)))
			cs := must[text.ChangeSet](t)(text.NewChangeSet(text.Byte(len(old)),
				text.Change{From: from, To: to, Insert: p.lines(1 + p.r.IntN(3))}))
			before := text.OfString(old)
			e = NewEdit{Path: name, Kind: Text, Before: before, Changes: cs}
			p.texts[name] = must[text.Text](t)(cs.Apply(before)).String()
		}
		rec := must[Receipt](t)(p.s.Append(ctx, Op{Author: author, Edits: []NewEdit{e}}))
		id := rec.IDs()[0]
		p.ids, p.at[id] = append(p.ids, id), map[string]string{}
		for k, v := range p.texts {
			p.at[id][k] = v
		}
		if author == Model && (p.careful || p.r.IntN(200) > 0) {
			accept = append(accept, id)
		} else if author == Model {
			p.waiting[id] = true
		}
	}
	if err := p.s.SetReviewed(ctx, accept, true); err != nil {
		t.Fatal(err)
	}
}

// verify checks that every version is unchanged or reported as reclaimed.
func (p *past) verify(t testing.TB, s *Store) (gone int) {
	t.Helper()
	ctx := context.Background()
	if r := check(t, s); !r.OK() {
		t.Fatalf("%+v", r.Damage[:min(3, len(r.Damage))])
	}
	edits := map[EditID]Edit{}
	for _, e := range must[[]Edit](t)(s.List(ctx, Filter{Branches: true})) {
		edits[e.ID] = e
		if e.Purged != e.Reclaimed {
			t.Fatalf("%+v", e)
		}
	}
	for i, id := range p.ids {
		tried := 0
		for name, want := range p.at[id] {
			if tried++; tried > 1 && i%8 != 0 { // the order of a map differs each time
				break
			}
			v, err := s.At(ctx, id, name)
			switch {
			case errors.Is(err, ErrPurged) && errors.Is(err, ErrReclaimed):
				gone++
			case err != nil || string(v.Bytes) != want:
				t.Fatalf("%s after edit %d: %v", name, id, err)
			}
		}
		if p.waiting[id] && edits[id].Purged {
			t.Fatalf("edit %d waits for review and was reclaimed", id)
		}
	}
	if len(edits) != len(p.ids) {
		t.Fatalf("%d edits of %d", len(edits), len(p.ids))
	}
	for name, want := range p.texts {
		if v, err := s.Head(ctx, name); err != nil || string(v.Bytes) != want {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := s.Review(ctx, name, text.OfString(want)); err != nil {
			t.Fatalf("review %s: %v", name, err)
		}
	}
	for id, e := range edits { // a revert of reclaimed edits says so, and does not say that somebody purged them
		if !e.Reclaimed {
			continue
		}
		if _, err := s.PlanRevert(ctx, []EditID{id}); !errors.Is(err, ErrReclaimed) {
			t.Fatalf("revert %d, which was reclaimed: %v", id, err)
		}
		break
	}
	for id := range p.waiting { // waiting edits can be reverted as before, or conflict as before
		var c *Conflict
		if _, err := s.PlanRevert(ctx, []EditID{id}); err != nil && !errors.As(err, &c) {
			t.Fatalf("revert %d: %v", id, err)
		}
	}
	return gone
}

func counted(t testing.TB, s *Store) int64 {
	return must[Sizes](t)(s.Size(context.Background())).Counted
}

// TestReclaimKeepsWhatMustStay: for any history and any cap.
func TestReclaimKeepsWhatMustStay(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(long(3)) {
		dir := filepath.Join(t.TempDir(), "store")
		s := openStore(t, dir)
		p := newPast(t, s, seed+1)
		p.careful = seed == 1
		p.grow(t, 700)
		if err := s.Backup(ctx); err != nil {
			t.Fatal(err)
		}
		if seed%3 == 2 { // a fork from the middle keeps the versions it builds on
			must[Branch](t)(s.Fork(ctx, "other", p.ids[350]))
		}
		before := counted(t, s)
		if gone := p.verify(t, s); gone > 0 {
			t.Fatal("something is gone before")
		}
		for _, part := range []int64{9, 8, 5, 3} {
			if err := s.SetCap(ctx, before*part/10); err != nil {
				t.Fatal(err)
			}
			below := must[bool](t)(s.Reclaim(ctx))
			if now := counted(t, s); below != (now <= before*part/10) {
				t.Errorf("%d of %d bytes are left, and below is %v", now, before, below)
			}
			gone := p.verify(t, s)
			t.Logf("seed %d: %d of %d bytes, %v, %d versions gone", seed, counted(t, s), before, below, gone)
			if part == 8 && (gone == 0 || !below && p.careful) {
				t.Errorf("nothing was given back: %v", s.Notices())
			}
			p.grow(t, 20)
		}
		s.Close()
		s = openStore(t, dir)
		p.s = s
		p.verify(t, s)
	}
}

// TestReclaimHappensByItself, when the writer is idle.
func TestReclaimHappensByItself(t *testing.T) {
	s := newStore(t)
	p := newPast(t, s, 5)
	p.careful = true
	p.grow(t, 700)
	before := counted(t, s)
	if err := s.SetCap(context.Background(), before*9/10); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); counted(t, s) > before*9/10; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not get smaller: %v", s.Notices())
		}
	}
}

// TestAboveTheCapEverythingGoesOn: edits that must be kept stay, and one notice says so.
func TestAboveTheCapEverythingGoesOn(t *testing.T) {
	ctx := context.Background()
	notified := make(chan string, 10)
	s := must[*Store](t)(Open(ctx, Options{Dir: filepath.Join(t.TempDir(), "store"), Notice: func(n string) {
		notified <- n
	}}))
	defer s.Close()
	baseline(t, s, map[string]string{"a": "v0\n"})
	do(t, s, Model, replace(t, s, "a", "v0", "v1")) // nobody accepts it
	for i := 1; i < 300; i++ {
		do(t, s, User, replace(t, s, "a", fmt.Sprintf("v%d", i), fmt.Sprintf("v%d", i+1)))
	}
	if err := s.SetCap(ctx, 1000); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if must[bool](t)(s.Reclaim(ctx)) {
			t.Error("it is below 1,000 bytes")
		}
	}
	if n := s.Notices(); len(n) != 1 || len(notified) != 1 || !strings.Contains(<-notified, "wait for review") {
		t.Errorf("%q", n)
	}
	do(t, s, User, replace(t, s, "a", "v300", "v301"))
	want(t, at(t, s, 1, "a"), "v1\n")
	if z := must[Sizes](t)(s.Size(ctx)); z.Cap != 1000 || z.Reclaimed != 0 {
		t.Errorf("%+v", z)
	}
}

// reclaimChild reclaims space until it is killed.
func reclaimChild(dir string) {
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: dir})
	if err == nil {
		fmt.Println("begins")
		_, err = s.Reclaim(ctx)
	}
	fmt.Println("ended", err)
	time.Sleep(time.Hour)
}

// TestKillWhileReclaiming: every step is complete or did not happen.
func TestKillWhileReclaiming(t *testing.T) {
	src := filepath.Join(t.TempDir(), "store")
	s := openStore(t, src)
	p := newPast(t, s, 9)
	p.grow(t, 800)
	if err := s.SetCap(context.Background(), counted(t, s)/3); err != nil {
		t.Fatal(err)
	}
	s.Close()
	partly := 0
	for i := range long(6) {
		dir := filepath.Join(t.TempDir(), "copy")
		copyStore(t, src, dir)
		c := child("reclaim", dir)
		out := must[interface{ Read([]byte) (int, error) }](t)(c.StdoutPipe())
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		bufio.NewReader(out).ReadString('\n')
		for deadline := time.Now().Add(time.Duration(i*i) * 4 * time.Millisecond); time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		c.Process.Kill()
		c.Wait()
		k := openStore(t, dir)
		if gone := p.verify(t, k); gone > 0 {
			partly++
		}
		must[bool](t)(k.Reclaim(context.Background()))
		p.verify(t, k)
		k.Close()
		os.RemoveAll(dir)
	}
	t.Logf("%d of %d were killed after they had begun", partly, long(6))
}
