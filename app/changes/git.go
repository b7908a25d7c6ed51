package changes

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Git reads the repository that a folder is in. Its paths are relative to that folder.
type Git struct{ Folder string }

// ErrNoRepository says that a folder is not in a git repository.
var ErrNoRepository = errors.New("this folder is not in a git repository")

// ErrNoGit says that there is no git program.
var ErrNoGit = errors.New("git is not installed")

// Entry is a file that changed.
type Entry struct {
	Path          string
	From          string // its path before, if it was renamed
	Before, After string // ids of what it held; After is "" for what is in the folder
	Added         bool
	Deleted       bool
	Special       bool // a link or a submodule
}

// Since says which changes are meant.
type Since struct {
	Rev    string   // those since this revision; "": those that are not committed
	Staged bool     // only those that are staged
	Paths  []string // only in these files and folders
}

// Changed lists the files that changed, in the order of git.
func (g Git) Changed(ctx context.Context, s Since) ([]Entry, error) {
	rev, err := g.revision(ctx, s.Rev)
	if err != nil {
		return nil, err
	}
	args := []string{
		"diff", "--raw", "-z", "-M", "--no-abbrev", "--relative", "--no-ext-diff",
		"--ignore-submodules=dirty",
	}
	if s.Staged {
		args = append(args, "--cached")
	}
	args = append(append(args, rev, "--"), literal(s.Paths)...)
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	list, err := parseRaw(out)
	if err != nil || s.Staged {
		return list, err
	}
	args = append([]string{"ls-files", "--others", "--exclude-standard", "-z", "--"}, literal(s.Paths)...)
	if out, err = g.run(ctx, nil, args...); err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && !strings.HasSuffix(name, "/") { // a folder is another repository
			list = append(list, Entry{Path: name, Added: true})
		}
	}
	return list, nil
}

// literal makes paths that git does not read as patterns.
func literal(paths []string) (out []string) {
	for _, p := range paths {
		out = append(out, ":(literal)"+p)
	}
	return out
}

// revision checks a revision: that of the last commit, or an empty tree, when it is "".
func (g Git) revision(ctx context.Context, rev string) (string, error) {
	if _, err := g.run(ctx, nil, "rev-parse", "--git-dir"); err != nil {
		return "", err
	}
	name := rev
	if rev == "" {
		name = "HEAD"
	}
	out, err := g.run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	switch {
	case err == nil:
		return strings.TrimSpace(string(out)), nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case rev != "":
		return "", fmt.Errorf("git knows no revision %q; 'git log --oneline' and 'git branch' list some", rev)
	}
	out, err = g.run(ctx, []byte{}, "hash-object", "-t", "tree", "--stdin") // nothing is committed yet
	return strings.TrimSpace(string(out)), err
}

// parseRaw reads the output of git diff --raw -z.
func parseRaw(out []byte) (list []Entry, err error) {
	fields := strings.Split(string(out), "\x00")
	for len(fields) > 1 {
		f := strings.Fields(strings.TrimPrefix(fields[0], ":"))
		if len(f) != 5 || f[4] == "" {
			return nil, fmt.Errorf("git diff --raw: %q cannot be read", fields[0])
		}
		e := Entry{Path: fields[1], Before: id(f[2]), After: id(f[3])}
		e.Special = special(f[0]) || special(f[1])
		fields = fields[2:]
		switch f[4][0] {
		case 'A':
			e.Added = true
		case 'D':
			e.Deleted = true
		case 'R', 'C':
			if len(fields) < 2 {
				return nil, fmt.Errorf("git diff --raw: the new name of %q is missing", e.Path)
			}
			e.From, e.Path = e.Path, fields[0]
			fields = fields[1:]
		}
		list = append(list, e)
	}
	return list, nil
}

func special(mode string) bool { return mode == "120000" || mode == "160000" }

// id returns an object's id; "" for none.
func id(s string) string {
	if strings.Trim(s, "0") == "" {
		return ""
	}
	return s
}

// maxContent bounds what is read of an object.
const maxContent = 8 << 20

// Contents returns what objects hold, by their ids. Those that are too large, or missing, are not
// among them.
func (g Git) Contents(ctx context.Context, ids []string) (map[string][]byte, error) {
	all := map[string][]byte{}
	if len(ids) == 0 {
		return all, nil
	}
	out, err := g.run(ctx, []byte(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch-check")
	if err != nil {
		return nil, err
	}
	var wanted []string
	for line := range strings.Lines(string(out)) {
		var id, kind string
		var size int64
		if n, _ := fmt.Sscan(line, &id, &kind, &size); n == 3 && kind == "blob" && size <= maxContent { // n says how far
			wanted = append(wanted, id)
		}
	}
	if out, err = g.run(ctx, []byte(strings.Join(wanted, "\n")+"\n"), "cat-file", "--batch"); err != nil {
		return nil, err
	}
	r := bufio.NewReader(bytes.NewReader(out))
	for range wanted {
		var id, kind string
		var size int64
		if _, err := fmt.Fscanf(r, "%s %s %d\n", &id, &kind, &size); err != nil {
			return nil, fmt.Errorf("git cat-file: read the head of an object: %w", err)
		}
		b := make([]byte, size)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, fmt.Errorf("git cat-file: read %s: %w", id, err)
		}
		if _, err := r.Discard(1); err != nil {
			return nil, fmt.Errorf("git cat-file: read %s: %w", id, err)
		}
		all[id] = b
	}
	return all, nil
}

// Subjects returns the first lines of the newest commits, the newest first; none before the first.
func (g Git) Subjects(ctx context.Context, n int) []string {
	out, err := g.run(ctx, nil, "log", "--no-merges", fmt.Sprintf("--max-count=%d", n), "--format=%s")
	if err != nil { // nothing is committed yet
		return nil
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

// run runs git in the folder.
func (g Git) run(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.quotePath=false"},
		args...)...)
	c.Dir = g.Folder
	c.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	if in != nil {
		c.Stdin = bytes.NewReader(in)
	}
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, ErrNoGit
	case strings.Contains(said.String(), "not a git repository"):
		return nil, ErrNoRepository
	}
	return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
}
