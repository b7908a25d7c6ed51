package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"waferpair/app"
	"waferpair/app/bench/cuts"
	"waferpair/engine"
	"waferpair/engine/agent"
	"waferpair/engine/model"
	"waferpair/engine/responses"
	"waferpair/engine/responses/chat"
	"waferpair/engine/responses/client"
	"waferpair/history"
)

// cutWires are the ways to the provider that answers are cut on. Over the third one, tools are functions.
var cutWires = []struct {
	name, wire        string
	sockets, freeform bool
}{{"websocket", "responses", true, true}, {"sse", "responses", false, true}, {"functions", "responses", false, false},
	{"chat", "chat", false, false}}

// cutRun is a project whose answers are cut.
type cutRun struct {
	*app.Project
	dir      string
	provider *cuts.Provider
	clients  []*client.Client
	rand     *rand.Rand
	files    []cuts.File
	newest   history.EditID
	spoilt   bool // the files are not what they must be: what follows would be wrong, too

	streams, cuts, lost, twice, wrong, ended int
	failures                                 []string
}

// turnCut has answers cut at random bytes of the wire, and continues each, as 'edit --continue' does,
// until it is whole. What the files must become is known by construction.
func turnCut(ctx context.Context, e *Env, _ *provider) (err error) {
	streams := 1000
	if e.Quick {
		streams = 24
	}
	r, err := e.cutRun(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	for n := 0; r.streams < streams; n++ {
		if n%50 == 0 || r.spoilt {
			if err := r.freshFiles(n); err != nil {
				return err
			}
		}
		if err := r.stream(ctx, n); err != nil {
			return fmt.Errorf("stream %d: %w", n, err)
		}
	}
	report, err := r.History().Check(ctx, nil)
	if err != nil {
		return err
	}
	for _, f := range r.failures[:min(len(r.failures), 5)] {
		e.Log(f[:min(len(f), 2000)])
	}
	r.report(e, len(report.Damage))
	return nil
}

func (r *cutRun) report(e *Env, damage int) {
	note := fmt.Sprintf("%d streams, %d cuts; WebSocket, HTTP and SSE, chat; V4A in text and as a call, search/replace, "+
		"whole files, unified diffs", r.streams, r.cuts)
	for _, f := range []struct {
		what string
		n    int
	}{{"new lines lost", r.lost}, {"new lines applied or recorded twice", r.twice},
		{"files that are otherwise not what was written", r.wrong}, {"turns that did not become complete", r.ended},
		{"findings of the history's check", damage}} {
		e.Report(Result{Measure: "streams cut at random bytes, then continued: " + f.what, Value: float64(f.n), Unit: "",
			AtMost: true, Note: note})
		note = ""
	}
}

func (e *Env) cutRun(ctx context.Context) (*cutRun, error) {
	const usual = 12
	seed := uint64(usual)
	if _, err := fmt.Sscan(os.Getenv("WAFERPAIR_SEED"), &seed); err != nil {
		seed = usual
	}
	dir, err := e.sub("cut")
	if err != nil {
		return nil, err
	}
	r := &cutRun{dir: dir, rand: rand.New(rand.NewPCG(seed, 1))}
	if r.provider, err = cuts.Start(seed); err != nil {
		return nil, err
	}
	var drivers []engine.Driver
	for _, w := range cutWires {
		c := client.New(client.Provider{Provider: chat.Provider{Name: w.name, BaseURL: r.provider.URL}, Wire: w.wire,
			WebSockets: w.sockets, Dialect: &responses.Dialect{Freeform: w.freeform, Developer: w.freeform}})
		r.clients = append(r.clients, c)
		m := c.Model("gpt-5.5", model.Info{Name: w.name + "/m", Language: true, Context: 128_000})
		drivers = append(drivers, agent.New(m, agent.Tools()...))
	}
	r.Project, err = app.Open(ctx, dir, app.Options{DataHome: filepath.Join(e.Dir, "cut-data"),
		Models: engine.NewRegistry(drivers)})
	if err == nil {
		err = r.Ready(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *cutRun) close() (err error) {
	if r.Project != nil {
		err = r.Project.Close()
	}
	for _, c := range r.clients {
		c.Close()
	}
	r.provider.Close()
	return err
}

// freshFiles makes the files that the next jobs change.
func (r *cutRun) freshFiles(n int) error {
	r.files, r.spoilt = nil, false
	for k := range 2 {
		f := cuts.File{Path: fmt.Sprintf("group%d/f%d.txt", n, k)}
		f.Old = cuts.FreshLines(f.Path, 60)
		if err := os.MkdirAll(filepath.Join(r.dir, filepath.Dir(f.Path)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.dir, f.Path), []byte(cuts.Text(f.Old)), 0o644); err != nil {
			return err
		}
		r.files = append(r.files, f)
	}
	return nil
}

// stream has an answer that is cut one to three times.
func (r *cutRun) stream(ctx context.Context, n int) error {
	wire := cutWires[n%len(cutWires)]
	format := cuts.Formats()[n/len(cutWires)%len(cuts.Formats())]
	manners := cuts.Manners()
	manner := manners[r.rand.IntN(len(manners))]
	files := r.files
	if r.rand.IntN(3) == 0 {
		files = append(slices.Clone(files), cuts.File{Path: fmt.Sprintf("new/f%d.txt", n), Create: true})
	}
	j := cuts.NewJob(r.rand, n, format, files)
	r.provider.Begin(j, manner, 1+r.rand.IntN(3))
	ended, err := r.turns(ctx, wire.name+"/m")
	if err != nil {
		return err
	}
	cut, refused, log := r.provider.Ended()
	if r.cuts += cut; cut > 0 {
		r.streams++
	}
	what := fmt.Sprintf("stream %d (%s, %v, the model %v, %d cuts; WAFERPAIR_SEED repeats it)", n, wire.name, format,
		manner, cut)
	if ended != "" {
		r.ended++
		r.failures = append(r.failures, what+" ended as "+ended)
	}
	bad, err := r.compare(ctx, j)
	if err != nil {
		return err
	}
	if bad != "" {
		r.spoilt = true
		r.failures = append(r.failures, fmt.Sprintf("%s: %s\nrefused: %q\n%s", what, bad, refused, strings.Join(log, "\n")))
	}
	return nil
}

// turns sends the request, and continues it until it ends by itself; it returns how it ended, if that is
// not complete.
func (r *cutRun) turns(ctx context.Context, m string) (string, error) {
	ask := app.EditRequest{Text: "change the files", Model: m, Session: "new"}
	for range 8 {
		turn, err := r.Edit(ctx, ask)
		if err != nil {
			return "", err
		}
		for range turn.Events() {
		}
		switch o := turn.Wait(); o.Status {
		case engine.Completed:
			return "", nil
		case engine.Failed:
			ask = app.EditRequest{Continue: &app.Continuation{}}
		case engine.Stopped, engine.Declined, engine.Held, engine.Conflict:
			return fmt.Sprintf("%s: %s", o.Status, o.Message), nil
		}
	}
	return "failed eight times", nil
}

// compare looks at the files, and at the edits that brought each new line. The next job starts from what
// the files are.
func (r *cutRun) compare(ctx context.Context, j *cuts.Job) (bad string, err error) {
	made, err := r.made(ctx)
	if err != nil {
		return "", err
	}
	for _, f := range j.Files {
		b, err := os.ReadFile(filepath.Join(r.dir, f.Path))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		got, before := string(b), r.lost+r.twice
		for _, mark := range f.Marks() {
			switch in, edits := strings.Count(got, mark), made.bringing(f.Path, mark); {
			case in == 0 || edits == 0:
				r.lost++
				bad += mark + " is lost\n"
			case in > 1 || edits > 1:
				r.twice++
				bad += fmt.Sprintf("%s is %d times in the file, by %d edits\n", mark, in, edits)
			}
		}
		if got != cuts.Text(f.Want()) {
			bad += cuts.Difference(got, f)
			if r.lost+r.twice == before {
				r.wrong++
			}
		}
	}
	for i := range r.files {
		b, err := os.ReadFile(filepath.Join(r.dir, r.files[i].Path))
		if err != nil {
			return "", err
		}
		r.files[i].Old = strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	}
	return bad, nil
}

// modelEdits are edits of a model that are in force.
type modelEdits []history.Detail

// made returns those of the last job.
func (r *cutRun) made(ctx context.Context) (all modelEdits, err error) {
	edits, err := r.History().List(ctx, history.Filter{After: r.newest})
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		r.newest = max(r.newest, e.ID)
		if e.Author != history.Model || e.RevertedBy != 0 {
			continue
		}
		d, err := r.History().Get(ctx, e.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// bringing counts the edits that bring a mark into a file.
func (m modelEdits) bringing(path, mark string) (n int) {
	for _, e := range m {
		if e.Path == path && strings.Count(string(e.After.Bytes), mark) > strings.Count(string(e.Before.Bytes), mark) {
			n++
		}
	}
	return n
}
