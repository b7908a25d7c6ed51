package text

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"waferpair/build/testseed"
)

// cmCase is a question to the real CodeMirror; offsets are in UTF-16 units.
type cmCase struct {
	Doc  string          `json:"doc"`
	A    json.RawMessage `json:"a"`
	B    json.RawMessage `json:"b"`
	Next json.RawMessage `json:"next"` // for the document that a makes
	Spec [][3]any        `json:"spec"` // from, to, insert
	// Shuffled is Spec in any order, without adjacent changes: for those the result of
	// CodeMirror depends on their order in the list.
	Shuffled [][3]any `json:"shuffled"`
}

// cmAnswer is CodeMirror's answer, or ours.
type cmAnswer struct {
	A, Inverted, Composed, Made any
	BOverA, BOverABefore        any
	AOverB, AOverBBefore        any
	Applied                     string
	MadeOfShuffled              any
	Changes                     [][3]any
	Before, After               []UTF16
	Tracked                     []bool
	Empty                       bool
}

// cmInput is a case in our types.
type cmInput struct {
	doc        Text
	a, b, next ChangeSet
	spec       []Change // in order
	shuffled   []Change
}

// TestAgainstCodeMirror: the real CodeMirror and this package must agree on every
// operation, in content and in form, for ten thousand random cases.
func TestAgainstCodeMirror(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes a lot: make test runs it without the race detector")
	}
	cases := 10_000
	if os.Getenv("WAFERPAIR_LONG") != "" {
		cases *= 20
	}
	seed := testseed.New(t)
	r := rand.New(rand.NewPCG(seed, 0))
	ask, answers := startCodeMirror(t)
	inputs := make([]cmInput, cases)
	for i := range inputs {
		inputs[i] = randomInput(r)
	}
	go func() {
		for _, in := range inputs {
			ask.Encode(in.question())
		}
		ask.close()
	}()
	for i, in := range inputs {
		var theirs cmAnswer
		if !answers.Scan() {
			t.Fatalf("case %d: CodeMirror stopped answering (%v)", i, answers.Err())
		}
		if err := json.Unmarshal(answers.Bytes(), &theirs); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		if ours := in.answer(t); !reflect.DeepEqual(theirs, ours) {
			q, _ := json.Marshal(in.question())
			t.Fatalf("case %d differs (- CodeMirror, + we):\n%s\n%s", i, q, cmp.Diff(theirs, ours))
		}
	}
}

// question panics on errors: randomInput draws only cases that can be expressed.
func (in cmInput) question() cmCase {
	after, err := in.a.Apply(in.doc)
	if err != nil {
		panic(err)
	}
	q := cmCase{Doc: in.doc.String(), A: cm(in.a, in.doc), B: cm(in.b, in.doc), Next: cm(in.next, after)}
	q.Spec, q.Shuffled = cmSpec(in.spec, in.doc), cmSpec(in.shuffled, in.doc)
	return q
}

// cmSpec lists changes as [from, to, insert].
func cmSpec(changes []Change, doc Text) [][3]any {
	out := [][3]any{}
	for _, c := range changes {
		out = append(out, [3]any{doc.ToUTF16(c.From), doc.ToUTF16(c.To), c.Insert})
	}
	return out
}

func cm(c ChangeSet, doc Text) json.RawMessage {
	data, err := c.MarshalCM(doc)
	if err != nil {
		panic(fmt.Sprintf("%v for %q: %v", c, doc, err))
	}
	return data
}

func (in cmInput) answer(t *testing.T) cmAnswer {
	t.Helper()
	afterA, afterB := apply(t, in.a, in.doc), apply(t, in.b, in.doc)
	inverted, err := in.a.Invert(in.doc)
	must(t, inverted, err)
	composed, err := in.a.Compose(in.next)
	must(t, composed, err)
	made, err := NewChangeSet(in.doc.Len(), in.spec...)
	must(t, made, err)
	shuffled, err := NewChangeSet(in.doc.Len(), in.shuffled...)
	must(t, shuffled, err)
	mapped := func(c, over ChangeSet, before bool) ChangeSet {
		m, err := c.Map(over, before)
		return must(t, m, err)
	}
	ours := cmAnswer{
		A:              plain(t, in.a, in.doc),
		Inverted:       plain(t, inverted, afterA),
		Composed:       plain(t, composed, in.doc),
		Made:           plain(t, made, in.doc),
		BOverA:         plain(t, mapped(in.b, in.a, false), afterA),
		BOverABefore:   plain(t, mapped(in.b, in.a, true), afterA),
		AOverB:         plain(t, mapped(in.a, in.b, false), afterB),
		AOverBBefore:   plain(t, mapped(in.a, in.b, true), afterB),
		Applied:        afterA.String(),
		MadeOfShuffled: plain(t, shuffled, in.doc),
		Changes:        [][3]any{},
		Empty:          in.a.Empty(),
	}
	for c := range in.a.Changes {
		ours.Changes = append(ours.Changes, [3]any{float64(in.doc.ToUTF16(c.From)), float64(in.doc.ToUTF16(c.To)), c.Insert})
	}
	in.positions(&ours, afterA)
	return ours
}

// positions maps every UTF-16 offset. One inside a surrogate pair has no equivalent here;
// it is mapped as CodeMirror does, one after the pair's first half.
func (in cmInput) positions(ours *cmAnswer, after Text) {
	for u := range in.doc.UTF16Len() + 1 {
		at, err := in.doc.FromUTF16(u)
		if err != nil {
			at, _ = in.doc.FromUTF16(u - 1)
			in.insidePair(ours, after, at)
			continue
		}
		before, gone := in.a.MapPosTracked(at, -1)
		ours.Before = append(ours.Before, after.ToUTF16(before))
		ours.After = append(ours.After, after.ToUTF16(in.a.MapPos(at, 1)))
		ours.Tracked = append(ours.Tracked, gone)
	}
}

func (in cmInput) insidePair(ours *cmAnswer, after Text, pair Byte) {
	before, gone := in.a.MapPosTracked(pair+1, -1)
	late := in.a.MapPos(pair+1, 1)
	half := UTF16(0)
	if !gone {
		half = 1
	}
	ours.Before = append(ours.Before, after.ToUTF16(before)+half)
	ours.After = append(ours.After, after.ToUTF16(late)+half)
	ours.Tracked = append(ours.Tracked, gone)
}

func plain(t *testing.T, c ChangeSet, doc Text) (v any) {
	t.Helper()
	data, err := c.MarshalCM(doc)
	if err != nil {
		t.Fatalf("%v for %q: %v", c, doc, err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

var cmWords = []string{"a", "b", "xyz", " ", "\n", "\n\n", "\r", "\r\n", "é", "€", "😀", "👩‍💻", "𝄞", "\u2028", "\ufeff",
	"\x00", "<&>", `"\`}

func randomWords(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(cmWords[r.IntN(len(cmWords))])
	}
	return b.String()
}

func randomInput(r *rand.Rand) cmInput {
	doc := randomWords(r, r.IntN(4)*r.IntN(6))
	in := cmInput{doc: OfString(doc), a: randomChange(r, doc), b: randomChange(r, doc)}
	after, err := in.a.Apply(in.doc)
	if err != nil {
		panic(err)
	}
	in.next = randomChange(r, after.String())
	in.spec = slices.Collect(randomChange(r, doc).Pieces)
	in.shuffled = slices.Collect(randomChange(r, doc).Changes)
	r.Shuffle(len(in.shuffled), func(i, j int) { in.shuffled[i], in.shuffled[j] = in.shuffled[j], in.shuffled[i] })
	return in
}

// randomChange returns a change set with adjacent changes, at character boundaries.
func randomChange(r *rand.Rand, doc string) ChangeSet {
	var b builder
	busy := r.IntN(4)
	for _, c := range doc {
		for r.IntN(4) < busy && r.IntN(2) == 0 {
			b.replace(0, randomWords(r, r.IntN(3)))
		}
		if n := Byte(len(string(c))); r.IntN(4) < busy {
			b.replace(n, randomWords(r, r.IntN(2)))
		} else {
			b.keep(n)
		}
	}
	b.replace(0, randomWords(r, r.IntN(2)))
	return b.done()
}

type asker struct {
	*json.Encoder
	buf   *bufio.Writer
	stdin io.Closer
}

func (a asker) close() {
	a.buf.Flush()
	a.stdin.Close()
}

// startCodeMirror runs the real CodeMirror in Node, fetching it if needed.
func startCodeMirror(t *testing.T) (asker, *bufio.Scanner) {
	t.Helper()
	dir := filepath.Join("testdata", "cm")
	installCodeMirror(t, dir)
	cmd := exec.Command("node", "answer.mjs")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	must(t, stdin, err)
	stdout, err := cmd.StdoutPipe()
	must(t, stdout, err)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			cmd.Process.Kill()
		}
		if err := cmd.Wait(); err != nil && stderr.Len() > 0 {
			t.Errorf("node: %v\n%s", err, stderr.String())
		}
	})
	buf := bufio.NewWriter(stdin)
	answers := bufio.NewScanner(stdout)
	answers.Buffer(nil, 16<<20)
	return asker{json.NewEncoder(buf), buf, stdin}, answers
}

func installCodeMirror(t *testing.T, dir string) {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%v: this test compares with the real CodeMirror, under Node 18 or newer; install nodejs and npm", err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@codemirror", "state")); err == nil {
		return
	}
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci in %s: %v (the first run needs the npm registry)\n%s", dir, err, out)
	}
}
