package history

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"waferpair/history/version"
	"waferpair/workspace/text"
)

// git itself makes the exports for git: the lineage of the current branch becomes a
// temporary bare repository (git fast-import), with one commit for the baseline and one per
// operation, and that becomes a bundle or a series of patches. The project's own repository
// is not touched.

const gitRef = "refs/heads/waferpair"

// ExportGitBundle writes a bundle to path, which `git clone PATH` reads.
func (s *Store) ExportGitBundle(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	return s.withGit(ctx, func(g gitRepo) error {
		return g.run(nil, "bundle", "create", "--quiet", path, gitRef, "HEAD")
	})
}

// ExportPatches writes a mailbox of patches, one per operation; `git am --keep-cr` applies
// them to the baseline.
func (s *Store) ExportPatches(ctx context.Context, w io.Writer) error {
	return s.withGit(ctx, func(g gitRepo) error {
		return g.run(w, "format-patch", "--stdout", "--binary", "--full-index", "--no-renames", "--zero-commit",
			"--no-signature", "refs/tags/baseline.."+gitRef)
	})
}

// gitRepo is a temporary bare repository.
type gitRepo struct {
	ctx context.Context
	dir string
}

// command returns a git command that ignores the user's and the system's configuration.
func (g gitRepo) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(g.ctx, "git", append([]string{"--git-dir=" + g.dir}, args...)...)
	c.Dir = filepath.Dir(g.dir)
	c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C")
	return c
}

func (g gitRepo) run(out io.Writer, args ...string) error {
	c := g.command(args...)
	var stderr bytes.Buffer
	c.Stdout, c.Stderr = out, &stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return nil
}

func (s *Store) withGit(ctx context.Context, use func(gitRepo) error) error {
	if err := s.settled(ctx); err != nil {
		return err
	}
	if _, err := exec.LookPath("git"); err != nil {
		return errors.New("export for git: git is not installed; install it, or export JSON lines")
	}
	tmp, err := os.MkdirTemp("", "waferpair-export-")
	if err != nil {
		return fmt.Errorf("export for git: %w", err)
	}
	defer os.RemoveAll(tmp)
	g := gitRepo{ctx, filepath.Join(tmp, "repo.git")}
	if err := g.run(nil, "init", "--quiet", "--bare", "--initial-branch=waferpair", g.dir); err != nil {
		return fmt.Errorf("export for git: %w", err)
	}
	if err := s.importInto(ctx, g); err != nil {
		return fmt.Errorf("export for git: %w", err)
	}
	if err := use(g); err != nil {
		return fmt.Errorf("export for git: %w", err)
	}
	return nil
}

func (s *Store) importInto(ctx context.Context, g gitRepo) error {
	c := g.command("fast-import", "--quiet", "--force")
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		return err
	}
	werr := s.fastImport(ctx, in)
	_ = in.Close() // if this fails, git reports what it lacks
	if err := c.Wait(); err != nil {
		return fmt.Errorf("git fast-import: %w: %s", errors.Join(err, werr), strings.TrimSpace(stderr.String()))
	}
	return werr
}

func (s *Store) fastImport(ctx context.Context, w io.Writer) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	f := &fastImporter{ctx: ctx, q: tx, w: bufio.NewWriterSize(w, 1<<16), lin: s.lineage(), files: map[string]gitFile{}}
	if err := f.baseline(); err != nil {
		return err
	}
	if err := scan(ctx, tx, 0, f.op); err != nil {
		return err
	}
	return f.w.Flush()
}

// fastImporter writes the input of git fast-import. It keeps only the texts that later
// edits apply to.
type fastImporter struct {
	ctx   context.Context
	q     querier
	w     *bufio.Writer
	lin   version.Lineage
	files map[string]gitFile
}

type gitFile struct {
	text text.Text
	mode fs.FileMode
	ok   bool // text is known
}

// baseline writes the first commit: all first contents, including those of files that
// history noticed later, because they existed before.
func (f *fastImporter) baseline() error {
	f.commit("outside", 0, "Baseline: the files as they were when waferpair first saw them")
	err := scan(f.ctx, f.q, 0, func(o *storedOp) error {
		for _, b := range o.bases {
			if b.purged {
				continue
			}
			body, err := reader{f.q}.Content(f.ctx, b.blob)
			if err != nil {
				return err
			}
			f.put(b.path, b.mode, text.Of(body))
			f.files[b.path] = gitFile{mode: b.mode}
		}
		return nil
	})
	fmt.Fprintf(f.w, "\nreset refs/tags/baseline\nfrom %s\n\n", gitRef)
	return err
}

func (f *fastImporter) commit(author string, at int64, message string) {
	who := fmt.Sprintf("%s <%s@waferpair.invalid> %d +0000", author, author, max(at/1000, 0))
	fmt.Fprintf(f.w, "commit %s\nauthor %s\ncommitter %s\ndata %d\n%s\n", gitRef, who, who, len(message), message)
}

func (f *fastImporter) op(o *storedOp) error {
	var edits []storedEdit
	for _, e := range o.edits {
		if f.lin.Has(e.branch, e.id) {
			edits = append(edits, e)
		}
	}
	if len(edits) == 0 {
		return nil
	}
	f.commit(string(word(authors, o.author)), o.at, message(o, edits))
	for _, e := range edits {
		if err := f.edit(e); err != nil {
			return fmt.Errorf("edit %d of %s: %w", e.id, e.path, err)
		}
	}
	f.w.WriteByte('\n')
	return nil
}

func message(o *storedOp, edits []storedEdit) string {
	e := edits[0]
	subject := fmt.Sprintf("Edit %d: %s %s", e.id, word(kinds, e.kind), e.path)
	if n := len(edits); n > 1 {
		subject += fmt.Sprintf(" and %d more", n-1)
	}
	if o.note != "" {
		subject += "\n\n" + o.note
	}
	return subject
}

func (f *fastImporter) edit(e storedEdit) error {
	if e.state&statePurged != 0 {
		return nil
	}
	file := f.files[e.path]
	if e.hasMode {
		file.mode = e.mode
	}
	switch word(kinds, e.kind) {
	case Delete:
		delete(f.files, e.path)
		fmt.Fprintf(f.w, "D %s\n", quote(e.path))
		return nil
	case Rename:
		f.files[e.to] = file
		delete(f.files, e.path)
		fmt.Fprintf(f.w, "R %s %s\n", quote(e.path), quote(e.to))
		return nil
	}
	if err := f.content(&file, e); err != nil {
		return err
	}
	f.files[e.path] = file
	f.put(e.path, file.mode, file.text)
	return nil
}

// content brings the file's text to its state after the edit.
func (f *fastImporter) content(file *gitFile, e storedEdit) error {
	if e.delta != nil && file.ok {
		t, err := version.ApplyDelta(file.text, e.delta)
		file.text = t
		return err
	}
	if e.blob == 0 && e.delta == nil && file.ok {
		return nil // only the mode changes
	}
	st, err := version.Walk(f.ctx, reader{f.q}, e.pathID, f.lin.UpTo(e.id), true)
	if err != nil {
		return err
	}
	file.text, err = st.Rebuild(f.ctx, reader{f.q})
	file.ok, file.mode = err == nil, st.Mode
	return err
}

func (f *fastImporter) put(path string, mode fs.FileMode, t text.Text) {
	m := "100644"
	switch {
	case mode&fs.ModeSymlink != 0:
		m = "120000"
	case mode&0o100 != 0:
		m = "100755"
	}
	fmt.Fprintf(f.w, "M %s inline %s\ndata %d\n", m, quote(path), t.Len())
	_, _ = t.WriteTo(f.w) // the buffer keeps the error for Flush
	f.w.WriteByte('\n')
}

// quote quotes a path in C style, which fast-import reads for any path.
func quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
