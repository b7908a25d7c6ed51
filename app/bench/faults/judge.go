//go:build linux

package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

func turnOf(raw []byte) (int64, error) {
	var v struct{ Turn int64 }
	err := json.NewDecoder(bytes.NewReader(raw)).Decode(&v)
	return v.Turn, err
}

var absolute = regexp.MustCompile(`/[^\s"',;:\\]+`)

// namedFiles returns the absolute paths in the program's output.
func namedFiles(said string) []string { return absolute.FindAllString(said, -1) }

// listed is an edit of the history.
type listed struct {
	ID      int64
	Path    string
	To      string
	Partial bool // cut off in the middle
}

// list returns every edit of a file.
func (r *run) list(name string) ([]listed, error) {
	args := []string{"history", "list", "--all-forks"}
	if name != "" {
		args = append(args, name)
	}
	res, err := r.w.prog.run("", nil, args...)
	if err != nil {
		return nil, err
	}
	if res.code != 0 {
		return nil, fmt.Errorf("%v", res)
	}
	var out []listed
	for line := range strings.Lines(res.out) {
		var l listed
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// newest returns the newest edit.
func (ses *session) newest() (int64, error) {
	var v struct{ Head int64 }
	return v.Head, ses.s.get("timeline", nil, &v)
}

// leaveOwner ends the owner, if there is one: the program runs alone from now on.
func (r *run) leaveOwner() error {
	o := r.w.prog.owner
	if o == nil {
		return nil
	}
	r.w.prog.owner = nil
	return o.stop()
}

// judge starts the program again, after all faults, and compares.
func (r *run) judge() error {
	if err := r.leaveOwner(); err != nil {
		r.wronging("%v", err)
	}
	s, err := r.w.prog.serve()
	if err != nil {
		return err
	}
	if _, _, err := s.textAt("a.txt", 0); err != nil { // waits until the comparison is done
		r.wronging("the next start: %v", err)
	}
	r.judgeEdits(s)
	if code, err := s.stop(); err != nil || code != 0 {
		r.wronging("the next start ends with status %d: %v: %s", code, err, short(s.words()))
	}
	r.compare("at the end")
	r.compareGroups("at the end")
	r.settleDues()
	r.judgeFolder()
	versions := &versions{r: r, had: map[string][]string{}}
	r.judgeWords(versions)
	r.judgeOutside(versions)
	versions.close()
	res, err := r.w.prog.run("", nil, "history", "check")
	if err != nil {
		return err
	}
	if res.code != 0 || !strings.Contains(res.out, `"ok":true`) {
		r.losing("history check: %v %s", res, short(res.out))
	}
	return nil
}

func (r *run) settleDues() {
	disk, _, err := r.w.disk()
	if err != nil {
		return
	}
	for _, c := range r.due {
		r.settleDue(c, disk)
	}
}

// judgeEdits checks that every acknowledged edit is in the history, with its result.
func (r *run) judgeEdits(s *server) {
	for _, k := range r.kept {
		content, _, err := s.textAt(k.Path, k.ID)
		switch {
		case err != nil:
			r.losing("edit %d of %s: %v", k.ID, k.Path, err)
		case k.content != "" && content != k.content && !r.contested.has(k.Path):
			r.losing("edit %d of %s: the history has another content: %s", k.ID, k.Path, difference(content, k.content))
		}
	}
}

func (r *run) judgeFolder() {
	_, temps, err := r.w.disk()
	if err != nil || len(temps) > 0 {
		r.wronging("temporary files are left: %v %v", temps, err)
	}
	git := files{}
	all, err := readFiles(r.w.root)
	for name, content := range all {
		if ofGit(name) {
			git[name] = content
		}
	}
	for _, name := range union(git, r.w.git) {
		if git[name] != r.w.git[name] {
			r.losing("%s changed: %v", name, err)
		}
	}
}

// judgeWords checks that everything typed is in a file, or in a version of it that somebody
// replaced knowingly.
func (r *run) judgeWords(v *versions) {
	disk, _, _ := r.w.disk()
	var all strings.Builder
	for _, content := range disk {
		all.WriteString(content)
	}
	for _, content := range r.rescued {
		all.WriteString(content)
	}
	on := all.String()
	for _, w := range r.words {
		if !strings.Contains(on, w.text) &&
			!v.any(w.path, func(content string) bool { return strings.Contains(content, w.text) }) {
			r.losing("%s, typed in %s, is nowhere", w.text, w.path)
		}
	}
}

// judgeOutside checks that another program's text is there, or a version in the history, byte
// for byte. If the user or a model had unsaved text in the same file, the two are merged: then
// the other program's line is in the result.
func (r *run) judgeOutside(v *versions) {
	disk, _, _ := r.w.disk()
	for _, o := range slices.Concat(r.outside, r.deleted) {
		typed := r.live[o.path]
		is := func(content string) bool {
			return content == o.content || typed && o.line != "" && strings.Contains(content, o.line)
		}
		if content, there := disk[o.path]; !(there && is(content)) && !v.any(o.path, is) {
			r.losing("%s, %d bytes, is neither on disk nor in the history", o.path, len(o.content))
		}
	}
}

// versions searches the versions of a file in the history.
type versions struct {
	r   *run
	s   *server
	had map[string][]string
}

func (v *versions) close() {
	if v.s != nil {
		_, _ = v.s.stop()
		v.s = nil
	}
}

// any reports whether a version of the file meets a condition; of a renamed file, under all
// its names.
func (v *versions) any(name string, so func(string) bool) bool {
	if v.had[name] == nil {
		v.had[name] = v.load(name)
	}
	return slices.ContainsFunc(v.had[name], so)
}

func (v *versions) load(name string) []string {
	out := []string{}
	v.close() // another instance could only read
	edits, err := v.r.list("")
	if err != nil {
		v.r.wronging("history list: %v", err)
		return out
	}
	if v.s, err = v.r.w.prog.serve(); err != nil {
		v.r.wronging("%v", err)
		return out
	}
	names := []string{name}
	for _, e := range edits { // oldest first
		if e.To != "" && slices.Contains(names, e.Path) {
			names = append(names, e.To)
		}
	}
	for _, n := range names {
		ids := []int64{0}
		for _, e := range edits {
			if e.Path == n || e.To == n {
				ids = append(ids, e.ID-1, e.ID)
			}
		}
		for _, id := range ids {
			if content, there, err := v.s.textAt(n, id); err == nil && there {
				out = append(out, content)
			}
		}
	}
	return out
}
