package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"

	"waferpair/app/changes"
	"waferpair/app/mask"
	"waferpair/app/query"
	"waferpair/app/recipes"
	"waferpair/engine/findings"
	"waferpair/engine/prompt"
	"waferpair/history"
	"waferpair/workspace/text"
)

// What a ready request adds to its prompt.
//
//	review, commit   the changes, from git or from a turn of the history, masked, with line numbers;
//	                 what to answer; no conversation, so that nobody judges his own words
//	tests            the tests beside the file, whose style counts
//
// A part of a file does not show that it belongs to a secret: so whole files are masked, and the
// changes are worked out of the masked texts.

// NoChanges says that there is nothing to review, or to commit.
type NoChanges struct{ What string }

func (e *NoChanges) Error() string { return e.What }

// tasker completes requests that need more than their words.
type tasker struct{ *turnFiles }

// tasked completes a request of a kind that needs more than its words.
func (p *tasker) tasked(ctx context.Context, r EditRequest) (EditRequest, error) {
	if r.Ready != "" {
		var err error
		if r, err = p.filled(r); err != nil {
			return r, err
		}
	}
	switch r.TaskKind() {
	case KindReview, KindCommit:
		if r.Changes == nil { // it goes on with another one
			return r, nil
		}
		return p.aboutChanges(ctx, r)
	case KindTests:
		r.task = &task{beside: p.testsBeside(ctx, r.Target.File)}
	case KindEdit, KindAsk, KindDocs, KindExplain:
	}
	return r, nil
}

// NotReady says why a ready request cannot be sent.
type NotReady struct{ Why string }

func (e *NotReady) Error() string { return e.Why }

// Ready lists the ready requests; the error says which files cannot be read.
func (p *core) Ready() ([]recipes.Recipe, error) { return recipes.List(xdg.ConfigHome, p.Root()) }

// filled returns a request with the words of a ready one.
func (p *tasker) filled(r EditRequest) (EditRequest, error) {
	list, unread := p.core.Ready()
	one, err := recipes.Find(list, r.Ready)
	switch {
	case err != nil && unread != nil:
		return r, &NotReady{fmt.Sprintf("%v (%v)", err, unread)}
	case err != nil:
		return r, &NotReady{err.Error()}
	case one.Asks && r.Mode != ModeAsk:
		return r, &NotReady{fmt.Sprintf("%s is answered in words: waferpair ask --ready %s", one.Name, one.Name)}
	case one.From == recipes.BuiltIn && !one.Asks && r.Mode == ModeAsk:
		return r, &NotReady{fmt.Sprintf("%s edits files: waferpair edit --ready %s", one.Name, one.Name)}
	}
	about := r.Target.File
	switch t := r.Target; {
	case t.File == "" && strings.TrimSpace(r.Text) == "" && strings.Contains(one.Text, "{selection}"):
		return r, &NotReady{fmt.Sprintf("say what %s is about: a file with --file, lines of it with --lines, or words",
			one.Name)}
	case t.File == "":
		about = "what is named below"
	case t.From > 0:
		about = fmt.Sprintf("lines %d to %d of %s", t.From, t.To, t.File)
	}
	r.Text, r.Kind = one.Fill(r.Text, about, r.Target.File), Kind(one.Kind)
	return r, nil
}

// maxSubjects bounds the subjects that show the style of a repository's messages.
const maxSubjects = 20

func (p *tasker) aboutChanges(ctx context.Context, r EditRequest) (EditRequest, error) {
	t := &task{alone: true, shown: map[string]text.Text{}}
	files, what, err := p.changed(ctx, *r.Changes, t)
	switch {
	case err != nil:
		return r, err
	case len(files) == 0 && len(t.left) > 0:
		return r, &NoChanges{"nothing of " + what + " can be shown to a model: " + strings.Join(t.left, "; ")}
	case len(files) == 0:
		return r, &NoChanges{"there are no " + strings.TrimPrefix(what, "the ")}
	}
	slices.SortStableFunc(files, func(a, b changes.File) int { return noise(a.Path) - noise(b.Path) })
	var names []string
	added, removed := 0, 0
	for _, f := range files {
		names = append(names, f.Path)
		if isText := t.attach(f); isText {
			a, d := changes.Count(f)
			added, removed = added+a, removed+d
		}
		if !f.Deleted {
			t.shown[f.Path] = f.After
		}
		if !f.Deleted && !f.Added && r.Kind == KindReview {
			t.beside = append(t.beside, prompt.Beside{Path: f.Path, Reason: "it has changes"})
		}
	}
	of := fmt.Sprintf("%s (%d lines added, %d removed) in %s", what, added, removed, some(names))
	words := strings.TrimSpace(r.Text)
	if r.Kind == KindReview {
		r.Text, t.says = "Review "+of+".", "Review the changes above.\n"+findings.Form
		if words != "" {
			r.Text += " " + words
		}
	} else {
		r.Text, t.says = "Write a commit message for "+of+".", commitForm(changes.Git{Folder: p.Root()}.Subjects(ctx,
			maxSubjects))
		if words != "" {
			r.Text += " " + words
		}
	}
	r.task = t
	return r, nil
}

// attach adds the changes of a file, and reports whether it is text.
func (t *task) attach(f changes.File) (isText bool) {
	isText = !text.IsBinary(f.Before.Bytes()) && !text.IsBinary(f.After.Bytes())
	shown := fmt.Sprintf("# %s (%s)\nIt is not a text file.\n", f.Path, f.What())
	if isText {
		shown = changes.Render(f)
	}
	t.attached = append(t.attached, prompt.Attached{Name: "changes of " + f.Path, Path: f.Path, Text: shown,
		Reason: "it is " + f.What()})
	return isText
}

// some names a few of many.
func some(names []string) string {
	const most = 8
	if len(names) > most {
		return fmt.Sprintf("%s and %d other files", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// noise is 1 for files that programs write: if something has no room, it is these.
func noise(name string) int {
	base := path.Base(name)
	for _, s := range []string{".lock", ".sum", ".min.js", ".min.css", ".map", ".snap", ".svg", ".pb.go", "-lock.json",
		"-lock.yaml"} {
		if strings.HasSuffix(base, s) {
			return 1
		}
	}
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if slices.Contains([]string{"vendor", "node_modules", "dist", "third_party", "testdata"}, part) {
			return 1
		}
	}
	return 0
}

// commitForm says how to answer with a commit message.
func commitForm(subjects []string) string {
	var b strings.Builder
	b.WriteString(`Write the message of a git commit with the changes above. Answer with the message alone: no fence, no
quotes, nothing before or behind it. The first line says what the commit changes, in at most 72
characters. If the reason or a consequence needs more words, an empty line and short paragraphs of at
most 72 columns follow. State only what the changes show: no invented reasons, numbers of issues, or
persons.
`)
	if len(subjects) == 0 {
		return b.String()
	}
	b.WriteString("Keep to the style of this repository. The first lines of its newest messages:\n")
	for _, s := range subjects {
		b.WriteString("- " + firstLine(mask.Words(s), 120) + "\n")
	}
	return b.String()
}

// maxChanged bounds the files whose changes are looked at.
const maxChanged = 1000

// changed returns files before and after the changes, and says in words which changes they are.
func (p *tasker) changed(ctx context.Context, c Changes, t *task) (files []changes.File, what string, err error) {
	switch {
	case c.Turn != 0:
		files, err = p.changedByTurn(ctx, c, t)
		return files, fmt.Sprintf("the changes of turn %d", c.Turn), err
	case c.Since != "":
		what = "the changes since " + c.Since
	case c.Staged:
		what = "the staged changes"
	default:
		what = "the uncommitted changes"
	}
	files, err = p.changedInGit(ctx, c, t)
	if err == nil || c.Since != "" || c.Staged || !errors.Is(err, changes.ErrNoRepository) && !errors.Is(err,
		changes.ErrNoGit) {
		return files, what, err
	}
	why := err
	last, err := p.store.List(ctx, history.Filter{Author: history.Model, Limit: 1})
	switch {
	case err != nil:
		return nil, what, err
	case len(last) == 0:
		return nil, what, fmt.Errorf("%w, and no turn has changed anything yet: there is nothing to look at", why)
	}
	c.Turn = last[0].Turn
	files, err = p.changedByTurn(ctx, c, t)
	return files, fmt.Sprintf("the changes of turn %d", c.Turn), err
}

func (p *tasker) changedByTurn(ctx context.Context, c Changes, t *task) (files []changes.File, err error) {
	r := p.query()
	list, err := r.Diffs(ctx, query.DiffRequest{Turn: c.Turn})
	if err != nil {
		return nil, fmt.Errorf("the changes of turn %d: %w", c.Turn, err)
	}
	for _, f := range list {
		now := f.Path
		if f.To != "" {
			now = f.To
		}
		if !among(now, c.Paths) {
			continue
		}
		one, err := r.Diffs(ctx, query.DiffRequest{Turn: c.Turn, Path: now})
		if err != nil || len(one) == 0 {
			t.left = append(t.left, fmt.Sprintf("%s: %v", now, err))
			continue
		}
		out := changes.File{Path: now, Before: ofPointer(one[0].Before), After: ofPointer(one[0].After),
			Added: one[0].Before == nil, Deleted: one[0].After == nil}
		if f.To != "" {
			out.From = f.Path
		}
		files = append(files, out)
	}
	return files, nil
}

func ofPointer(s *string) text.Text {
	if s == nil {
		return text.Text{}
	}
	return text.OfString(*s)
}

// among reports whether a file is one of the paths, or below one. None are all.
func among(file string, paths []string) bool {
	return len(paths) == 0 || slices.ContainsFunc(paths, func(p string) bool {
		return p == "." || p == file || strings.HasPrefix(file, strings.TrimSuffix(p, "/")+"/")
	})
}

func (p *tasker) changedInGit(ctx context.Context, c Changes, t *task) (files []changes.File, err error) {
	g := changes.Git{Folder: p.Root()}
	list, err := g.Changed(ctx, changes.Since{Rev: c.Since, Staged: c.Staged, Paths: c.Paths})
	if err != nil {
		return nil, err
	}
	if len(list) > maxChanged {
		t.left = append(t.left, fmt.Sprintf("%d of %d files: they are too many", len(list)-maxChanged, len(list)))
		list = list[:maxChanged]
	}
	var ids []string
	for _, e := range list {
		for _, id := range []string{e.Before, e.After} {
			if id != "" && !e.Special {
				ids = append(ids, id)
			}
		}
	}
	held, err := g.Contents(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		f, err := p.sidesOf(e, held)
		if err != nil {
			t.left = append(t.left, fmt.Sprintf("%s: %v", e.Path, err))
			continue
		}
		if f.From == "" && !f.Added && !f.Deleted && f.Before.Equal(f.After) { // its permissions changed
			continue
		}
		files = append(files, f)
	}
	return files, nil
}

var errTooLarge = errors.New("it is too large")

// sidesOf returns a changed file of git before and after, masked. What the window has open counts as it
// is there.
func (p *tasker) sidesOf(e changes.Entry, held map[string][]byte) (f changes.File, err error) {
	f = changes.File{Path: e.Path, From: e.From, Added: e.Added, Deleted: e.Deleted}
	if e.Special {
		return f, errors.New("it is a link or a submodule")
	}
	for _, name := range []string{e.Path, e.From} {
		if why := p.exclusion(name); name != "" && why != "" {
			return f, errors.New(why)
		}
	}
	object := func(id, name string) (text.Text, error) {
		b, ok := held[id]
		if id != "" && !ok {
			return text.Text{}, errTooLarge
		}
		m, _ := mask.Text(name, text.Plain(text.Of(b)))
		return m, nil
	}
	before := e.From
	if before == "" {
		before = e.Path
	}
	if !e.Added {
		if f.Before, err = object(e.Before, before); err != nil {
			return f, err
		}
	}
	switch {
	case e.Deleted:
		return f, nil
	case e.After != "":
		f.After, err = object(e.After, e.Path)
		return f, err
	}
	b, err := modelView{p.turnFiles, p.turnFiles}.Read(e.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		if raw, is := p.binary(e.Path); is {
			f.After = raw
			return f, nil
		}
		return f, err
	}
	f.After = text.Plain(text.Of(b))
	return f, nil
}

// binary returns the beginning of a file that is no text.
func (p *tasker) binary(name string) (text.Text, bool) {
	file, err := os.OpenInRoot(p.Root(), filepath.FromSlash(name))
	if err != nil {
		return text.Text{}, false
	}
	defer file.Close()
	head := make([]byte, 8<<10)
	n, err := file.Read(head)
	return text.Of(head[:n]), err == nil && text.IsBinary(head[:n])
}

// leave notes what of the changes the prompt has no room for.
func (t *task) leave(c prompt.Context) {
	for _, part := range c.Parts {
		if part.Kind == prompt.Changes && part.Cut != "" {
			t.left = append(t.left, fmt.Sprintf("%s: %s", part.Path, part.Cut))
		}
	}
	for _, l := range c.Out {
		if l.Kind == prompt.Changes {
			t.left = append(t.left, fmt.Sprintf("%s: %s", l.Path, l.Reason))
		}
	}
}

// maxTests bounds the tests that show how a project writes them.
const maxTests = 3

// testsBeside returns the tests of a file: the one of its name first, then others of its folder.
func (p *tasker) testsBeside(ctx context.Context, file string) (out []prompt.Beside) {
	if file == "" {
		return nil
	}
	all, err := p.Files(ctx)
	if err != nil { // the prompt says why
		return nil
	}
	ext, stem := path.Ext(file), strings.TrimSuffix(path.Base(file), path.Ext(file))
	var own, others []prompt.Beside
	for _, f := range all {
		base := strings.ToLower(path.Base(f))
		if f == file || path.Ext(f) != ext || !strings.Contains(base, "test") && !strings.Contains(base, "spec") {
			continue
		}
		switch near := path.Dir(f) == path.Dir(file); {
		case strings.Contains(base, strings.ToLower(stem)):
			own = append(own, prompt.Beside{Path: f, Reason: "it tests " + path.Base(file)})
		case near:
			others = append(others, prompt.Beside{Path: f, Reason: "it shows how tests are written here"})
		}
	}
	out = append(own, others...)
	return out[:min(len(out), maxTests)]
}

// intro reports whether a text only leads to what follows it.
func intro(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || strings.HasSuffix(s, ":") && !strings.Contains(s, "\n")
}

// CommitMessage returns the message in a model's answer: without a fence around it, and without
// characters that a terminal would obey.
func CommitMessage(answer string) string {
	s := strings.TrimSpace(strings.ReplaceAll(answer, "\r\n", "\n"))
	if before, rest, fenced := strings.Cut(s, "```"); fenced && intro(before) {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			if inside, _, closed := strings.Cut(body, "\n```"); closed {
				s = inside
			}
		}
	}
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Join(lines, "\n")
}
