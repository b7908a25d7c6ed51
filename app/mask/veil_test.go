package mask_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"waferpair/app/mask"
	_ "waferpair/build/testseed/rapidseed"
	"waferpair/engine/editstream"
	"waferpair/workspace/secrets"
	"waferpair/workspace/text"
)

type fataler interface {
	Fatalf(string, ...any)
	Fatal(...any)
}

// veiled is one file as a turn has it whose model reads masked texts.
type veiled struct {
	t       fataler
	now     text.Text
	veil    *mask.Veil
	secrets []string
	failed  []string
	placer  *editstream.Placer
}

func (v *veiled) Open(path string) (editstream.Doc, error) {
	shown, veil := mask.Cover(path, v.now)
	v.veil = veil
	return editstream.Doc{Text: shown}, nil
}

// apply makes a change, after which every secret must still be there.
func (v *veiled) apply(cs text.ChangeSet) {
	after, err := cs.Apply(v.now)
	if err != nil {
		v.t.Fatal(err)
	}
	v.now = after
	for _, s := range v.secrets {
		if !strings.Contains(after.String(), s) {
			v.t.Fatalf("a secret is lost:\n%s", after)
		}
	}
}

func (v *veiled) finish(_ int, path string) string {
	if !v.veil.Waits() {
		return ""
	}
	r, err := v.veil.Reveal(v.now)
	if err != nil {
		return err.Error()
	}
	v.apply(r.Changes)
	v.veil.Made(r)
	v.placer.Rebase(path, r.Fix)
	return ""
}

func (v *veiled) take(ed editstream.Edit) {
	switch ed := ed.(type) {
	case editstream.Changed:
		switch waits, err := v.veil.Take(ed.Changes); {
		case err != nil:
			v.placer.Drop(ed.Path, err.Error(), v.take)
		case !waits:
			v.apply(ed.Changes)
			v.veil.Moved(ed.Changes)
		}
	case editstream.Failed:
		if why := v.finish(0, ed.Path); why != "" {
			v.t.Fatalf("reverting a hunk that failed: %s", why)
		}
		v.failed = append(v.failed, ed.Message)
	}
}

// run has the file changed by an answer of a model, in pieces.
func (v *veiled) run(answer string, chunk int) {
	v.placer = editstream.NewPlacer(v, editstream.Options{Finish: v.finish})
	parser := editstream.NewAuto()
	handle := func(ev editstream.Event) { v.placer.Handle(ev, v.take) }
	for len(answer) > 0 {
		n := min(chunk, len(answer))
		parser.Push([]byte(answer[:n]), handle)
		answer = answer[n:]
	}
	parser.Close(handle)
	if shown, ok := v.placer.View("a.yaml"); ok {
		if want, _ := secrets.Mask("a.yaml", v.now.Bytes()); shown.String() != string(want) {
			v.t.Fatalf("the model's view is\n%s\nand the file is\n%s", shown, v.now)
		}
	}
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// token draws a secret that is found by itself.
func token(t *rapid.T) string {
	return rapid.Custom(func(t *rapid.T) string {
		b := make([]byte, 36)
		for i := range b {
			b[i] = letters[rapid.IntRange(0, len(letters)-1).Draw(t, "letter")]
		}
		return "gh" + "p_" + string(b)
	}).Filter(func(s string) bool { return len(secrets.Find("a.yaml", []byte("x = \""+s+"\"\n"))) == 1 }).Draw(t, "secret")
}

// line is a line of a file before and after an edit.
type line struct {
	was, is string
	gone    bool // it is not there afterwards
	added   bool // it was not there before
	secret  string
}

// drawn draws a file with secrets and an edit of it that keeps them; renamed counts the lines with a
// secret whose name changes.
func drawn(t *rapid.T) (lines []line, renamed int) {
	for i := range rapid.IntRange(1, 12).Draw(t, "lines") {
		l := line{was: fmt.Sprintf("line %d", i)}
		if rapid.IntRange(0, 2).Draw(t, "kind") == 0 {
			l.secret = token(t)
			l.was = fmt.Sprintf("name%c = \"%s\"", 'a'+i, l.secret)
		}
		l.is = l.was
		switch rapid.IntRange(0, 5).Draw(t, "edit") {
		case 0:
			l.is = "  " + l.was
		case 1:
			l.is = l.was + " # changed"
		case 2:
			if l.secret != "" {
				l.is = strings.Replace(l.was, "name", "key", 1)
				renamed++
			}
		case 3:
			l.gone = l.secret == ""
		case 4:
			lines = append(lines, line{is: fmt.Sprintf("new %d", i), added: true})
		}
		lines = append(lines, l)
	}
	return lines, renamed
}

func masked(s string) string {
	b, _ := secrets.Mask("a.yaml", []byte(s))
	return string(b)
}

func before(lines []line, show func(string) string) (out string) {
	for _, l := range lines {
		if !l.added {
			out += show(l.was) + "\n"
		}
	}
	return out
}

func after(lines []line, show func(string) string) (out string) {
	for _, l := range lines {
		if !l.gone {
			out += show(l.is) + "\n"
		}
	}
	return out
}

// v4a writes the edit as a hunk, each stretch of changes with its old lines first.
func v4a(lines []line) string {
	var b, plus strings.Builder
	b.WriteString("*** Begin Patch\n*** Update File: a.yaml\n@@\n")
	for _, l := range lines {
		switch {
		case !l.added && !l.gone && l.is == l.was:
			b.WriteString(plus.String() + " " + masked(l.was) + "\n")
			plus.Reset()
			continue
		case !l.added:
			b.WriteString("-" + masked(l.was) + "\n")
		}
		if !l.gone {
			plus.WriteString("+" + masked(l.is) + "\n")
		}
	}
	return b.String() + plus.String() + "*** End Patch\n"
}

// TestMasksLandOnTheTrueBytes draws files with secrets and edits around and in their lines. In every
// format and however the answer is cut, the edit lands on the true bytes, or nothing changes; in
// between no secret is ever missing, and no message has one.
func TestMasksLandOnTheTrueBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines, renamed := drawn(t)
		itself := func(s string) string { return s }
		was, want := before(lines, itself), after(lines, itself)
		if was == "" || want == "" {
			t.Skip("an empty file")
		}
		answer := ""
		switch rapid.IntRange(0, 2).Draw(t, "format") {
		case 0:
			answer = v4a(lines)
		case 1:
			answer = "a.yaml\n<<<<<<< SEARCH\n" + before(lines, masked) + "=======\n" + after(lines, masked) +
				">>>>>>> REPLACE\n"
		case 2:
			answer = "a.yaml\n```yaml\n" + after(lines, masked) + "```\n"
		}
		v := &veiled{t: t, now: text.OfString(was)}
		for _, l := range lines {
			if l.secret != "" {
				v.secrets = append(v.secrets, l.secret)
			}
		}
		v.run(answer, rapid.IntRange(1, 60).Draw(t, "chunk"))
		switch got := v.now.String(); {
		case len(v.failed) > 0 && got != was:
			t.Fatalf("failed (%s), and changed to\n%s", v.failed, got)
		case len(v.failed) > 0 && renamed < 2 && !strings.Contains(strings.Join(v.failed, ""), "the block has"):
			t.Fatalf("failed: %s", v.failed)
		case len(v.failed) == 0 && got != want:
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		for _, s := range v.secrets {
			if strings.Contains(strings.Join(v.failed, ""), s) {
				t.Fatalf("a message has the secret: %s", v.failed)
			}
		}
	})
}

// TestMasksThatStandForNothingCertain checks what is refused, with the reason, and what is not.
func TestMasksThatStandForNothingCertain(t *testing.T) {
	const a, b = "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_9sKqL2vB7xT0mWc4RzE1yU6iOpA3sD8fG5hJ"
	file := "first\na = \"" + a + "\"\nb = \"" + b + "\"\nlast\n"
	m := strings.Repeat("<masked>", 5)
	put := func(a, b string) string { return "first\n" + a + "\n" + b + "\nlast\n" }
	for name, c := range map[string]struct{ patch, want, why string }{
		"names are kept": {"-a = \"" + m + "\"\n-b = \"" + m + "\"\n+b: \"" + m + "\"\n+a: \"" + m + "\"\n",
			put("b: \""+b+"\"", "a: \""+a+"\""), ""},
		"one name is kept": {"-a = \"" + m + "\"\n-b = \"" + m + "\"\n+x = \"" + m + "\"\n+b: \"" + m + "\"\n",
			put("x = \""+a+"\"", "b: \""+b+"\""), ""},
		"no name is kept": {"-a = \"" + m + "\"\n-b = \"" + m + "\"\n+x = \"" + m + "\"\n+y = \"" + m + "\"\n", "",
			"not certain which secret"},
		"a short mask":    {"-a = \"" + m + "\"\n+x = \"<masked>\"\n", put("x = \""+a+"\"", "b = \""+b+"\""), ""},
		"a tag behind it": {"-a = \"" + m + "\"\n+<x>" + m + "</x>\n", put("<x>"+a+"</x>", "b = \""+b+"\""), ""},
		"lines change place": {"-a = \"" + m + "\"\n b = \"" + m + "\"\n+a = \"" + m + "\"\n",
			put("b = \""+b+"\"", "a = \""+a+"\""), ""},
		"removed":        {"-a = \"" + m + "\"\n", "", "holds a secret"},
		"twice":          {"-a = \"" + m + "\"\n+a = \"" + m + "\"\n+x = \"" + m + "\"\n", "", "in place of a secret"},
		"elsewhere":      {" a = \"" + m + "\"\n+x = \"" + m + "\"\n", "", "in place of a secret"},
		"out of the air": {"-first\n+x = \"" + m + "\"\n", "", "in place of a secret"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, chunk := range []int{1, 50, 1000} {
				v := &veiled{t: t, now: text.OfString(file), secrets: []string{a, b}}
				v.run("*** Begin Patch\n*** Update File: a.yaml\n@@\n"+c.patch+"*** End Patch\n", chunk)
				want := c.want
				if want == "" {
					want = file
				}
				if got := v.now.String(); got != want || (len(v.failed) > 0) != (c.why != "") ||
					!strings.Contains(strings.Join(v.failed, ""), c.why) {
					t.Fatalf("%s\n%s", v.failed, got)
				}
			}
		})
	}
}

// TestKeysOfSeveralLines checks that a private key is moved as a whole, and kept when it is indented.
func TestKeysOfSeveralLines(t *testing.T) {
	body := strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB\n", 4)
	key := "-----BEGIN PRIVATE " + "KEY-----\n" + body + "-----END PRIVATE " + "KEY-----"
	file := "first\n" + key + "\nlast\n"
	for _, chunk := range []int{1, 50, 1000} {
		v := &veiled{t: t, now: text.OfString(file), secrets: []string{key}}
		shown := masked(file)
		if shown == file {
			t.Fatal("the key is not found")
		}
		v.run("a.yaml\n```\n"+strings.Replace(shown, "first", "1st\n2nd", 1)+"```\n", chunk)
		if got := v.now.String(); got != strings.Replace(file, "first", "1st\n2nd", 1) {
			t.Fatalf("%s\n%s", v.failed, got)
		}
	}
}
