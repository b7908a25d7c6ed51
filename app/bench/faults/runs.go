//go:build linux

package faults

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Options say what to run.
type Options struct {
	Program []string // the waferpair to try: its path, and words before its arguments
	Dir     string   // an empty folder; the system's temporary one when empty
	Runs    int      // of all rows together; each row that can be tried has at least one
	Seed    uint64   // of the first run; each next run adds one
	Only    string   // one row
	Each    int      // runs of each row, instead of Runs
	Log     func(string)
	Verbose bool // log every step
	Owner   bool // everything attaches to another process, which is killed, too
	Known   bool // leave out the rows that are known to fail
}

// Names returns the names of all rows.
func Names() []string {
	var out []string
	for _, r := range rows() {
		out = append(out, r.name)
	}
	return append(out, powerName)
}

// Run runs the rows. The process must be Inside.
func Run(ctx context.Context, o Options) (Report, error) {
	if !IsInside() {
		return Report{}, fmt.Errorf("the faults must be run inside a mount namespace of their own; see Inside")
	}
	if o.Only != "" && !slices.Contains(Names(), o.Only) {
		return Report{}, fmt.Errorf("there is no row %q; there are: %v", o.Only, Names())
	}
	dir, err := os.MkdirTemp(o.Dir, "waferpair-faults-")
	if err != nil {
		return Report{}, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return Report{}, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // a row runs the program as another user
		return Report{}, err
	}
	c := look(dir, o.Program)
	var report Report
	var doing []row
	for _, r := range rows() {
		if o.Only == "" || o.Only == r.name {
			doing = append(doing, r)
		}
	}
	n := len(doing)
	if o.Only == "" {
		n++ // the row of power cuts
	}
	each := max(1, (o.Runs+max(n, 1)-1)/max(n, 1))
	if o.Each > 0 {
		each = o.Each
	}
	for _, r := range doing {
		out := &Row{Name: r.name, Owner: o.Owner, Help: r.help, Lost: []string{}, Wrong: []string{}, Failed: []uint64{},
			Known: r.known, Untried: r.needs(c)}
		if o.Known && r.known != "" {
			out.Untried = "known to fail: " + r.known
		}
		report.Rows = append(report.Rows, out)
		for i := range each {
			if out.Untried != "" || ctx.Err() != nil {
				break
			}
			if err := r.once(o, c, dir, o.Seed+uint64(i), out); err != nil {
				return report, fmt.Errorf("%s, seed %d: %w", r.name, o.Seed+uint64(i), err)
			}
		}
		o.Log(fmt.Sprintf("%s: %d runs, %d acknowledged, %d lost, %d wrong %s", out.Name, out.Runs, out.Acked, len(out.Lost),
			len(out.Wrong), out.Untried))
	}
	if o.Only == "" || o.Only == powerName {
		out, err := powerRow(ctx, o, c, dir, each)
		report.Rows = append(report.Rows, out)
		if err != nil {
			return report, fmt.Errorf("%s: %w", powerName, err)
		}
	}
	return report, ctx.Err()
}

// once runs a row once, and adds the findings to its result.
func (rw row) once(o Options, c can, dir string, seed uint64, out *Row) error {
	r := newRun(o, rw.name, seed)
	r.row = rw
	kind := "tmpfs"
	if c.ext4 == "" && r.rand.IntN(3) == 0 {
		kind = "ext4"
	}
	data := []int64{12 << 20, 40 << 20}[r.rand.IntN(2)]
	var err error
	if r.w, err = newWorld(filepath.Join(dir, fmt.Sprintf("%s-%d", rw.name, seed)), o.Program, kind,
		rw.atMount, 12<<20, data); err != nil {
		return err
	}
	defer r.w.close()
	if rw.asNobody {
		if err := r.w.giveAway(); err != nil {
			return err
		}
	}
	r.attach(o)
	pages := rw.pages && (!rw.commands || r.rand.IntN(2) == 0)
	r.trace("on %s, pages: %v", kind, pages)
	if pages {
		err = r.pages()
	} else {
		err = r.commands()
	}
	if err == nil {
		err = r.judge()
	}
	if err != nil {
		r.wronging("%v", err)
	}
	out.Runs++
	out.Acked += r.acked
	out.Bytes += r.bytes
	if len(r.lost)+len(r.wrong) > 0 {
		out.Failed = append(out.Failed, seed)
	}
	for _, s := range r.lost {
		out.Lost = append(out.Lost, fmt.Sprintf("seed %d: %s", seed, s))
	}
	for _, s := range r.wrong {
		out.Wrong = append(out.Wrong, fmt.Sprintf("seed %d: %s", seed, s))
	}
	return nil
}

// attach makes the program attach to an owner if the options ask for one. The owner has the
// project open in half of the runs with a page and of the recorded runs. In other runs it
// has no project open, because a disk cannot become read-only between two commands while a
// process has files open for writing.
func (r *run) attach(o Options) {
	if o.Owner {
		r.w.prog.owner = &owner{open: r.rand.IntN(2) == 0 && (r.row.pages || r.row.name == "")}
		r.trace("through an owner, with the project open: %v", r.w.prog.owner.open)
	}
}

func newRun(o Options, name string, seed uint64) *run {
	r := &run{seed: seed, rand: rand.New(rand.NewPCG(seed, 8)), maybe: map[string][]string{}, cut: map[string][]string{},
		live: map[string]bool{}, now: seedFiles()}
	maps.DeleteFunc(r.now, func(name, _ string) bool { return ofGit(name) })
	r.trace = func(format string, args ...any) {
		if o.Verbose {
			o.Log(fmt.Sprintf("%s %d: ", name, seed) + fmt.Sprintf(format, args...))
		}
	}
	return r
}
