package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"pgregory.net/rapid"

	"waferpair/app/bench/line"
	"waferpair/app/server"
	_ "waferpair/build/testseed/rapidseed"
)

// anyJSON draws JSON of any shape, made of the words of the protocol.
func anyJSON(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](false),
		rapid.Map(rapid.SampledFrom([]float64{0, 1, -1, 1.5, 7, 1e9, -1e18, 1e300, 9007199254740993}), func(f float64) any {
			return f
		}),
		rapid.Map(rapid.SampledFrom([]string{"", "a.txt", "../x", "a\x00b", ".", "\ufffd", "main", "script:/nowhere",
			strings.Repeat("x", 300)}), func(s string) any { return s }),
	)
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(anyJSON(depth-1), 0, 3), func(s []any) any { return s }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom(fieldNames), anyJSON(depth-1), 0, 5), func(m map[string]any) any {
			return m
		}),
	)
}

var fieldNames = []string{"path", "to", "doc", "base", "changes", "turn", "text", "edits", "at", "paths", "name",
	"session", "title", "reverts", "model", "file", "from", "scope", "version", "page", "dir", "x"}

// TestAnyMessageIsAnswered checks that the server answers whatever a page sends, and goes
// on. Commands that would succeed with such arguments are left to the other tests.
func TestAnyMessageIsAnswered(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	var names []string
	for _, name := range server.CommandNames() {
		switch name {
		case "remove", "closeProject", "openProject", "setPrefs", "setUI", "edit":
		default:
			names = append(names, name)
		}
	}
	names = append(names, "unknown", "")
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.MapOfN(rapid.SampledFrom(fieldNames), anyJSON(2), 0, 5).Draw(t, "args")
		cmd := rapid.SampledFrom(names).Draw(t, "cmd")
		select {
		case r := <-a.send(cmd, args):
			var f *line.Failure
			if r.Err != nil && !errors.As(r.Err, &f) {
				t.Fatalf("%s %v ended the connection", cmd, args)
			}
			if f != nil && (f.Message == "" || f.Code == "") {
				t.Fatalf("%s %v: %+v", cmd, args, f)
			}
		case <-time.After(patience):
			t.Fatalf("%s %v is not answered", cmd, args)
		}
	})
}

func TestMessagesThatAreNoCalls(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	ctx := context.Background()
	for _, m := range []string{"", "null", "[]", "{", `"x"`, `{"ack":"1"}`, `{"ack":99}`, `{"ack":-1}`,
		`{"id":"x","cmd":"open"}`, `{"id":1,"cmd":7}`, `{"cmd":"open"}`,
		`{"id":1,"cmd":"open","path":"` + strings.Repeat("a/", 5000) + `"}`, "\x00", strings.Repeat("[", 20000)} {
		conn, _, err := websocket.Dial(ctx, s.Socket(),
			&websocket.DialOptions{Subprotocols: []string{"waferpair", "token." + s.Token()}})
		if err != nil {
			t.Fatal(err)
		}
		conn.SetReadLimit(-1)
		if err := conn.Write(ctx, websocket.MessageText, []byte(m)); err != nil {
			t.Fatal(err)
		}
		if err := conn.Write(ctx, websocket.MessageText, []byte(`{"id":77,"cmd":"close","path":"a.txt"}`)); err != nil {
			t.Fatal(err)
		}
		for answered := false; !answered; {
			rctx, cancel := context.WithTimeout(ctx, patience)
			_, data, err := conn.Read(rctx)
			cancel()
			if err != nil {
				t.Fatalf("%.40q: %v", m, err)
			}
			validate[server.ServerMessage](t, data)
			var got struct{ Re int64 }
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			answered = got.Re == 77
		}
		conn.CloseNow()
	}
}

// TestTooMuchAtOnce checks that the server disconnects a page that sends more than anybody
// types, and no other page.
func TestTooMuchAtOnce(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\n"})
	s := w.serve()
	good, bad := dial(t, s), dial(t, s)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// the server may close the connection before it has read all
	_ = bad.Conn.Write(ctx, websocket.MessageText, []byte(`{"id":1,"cmd":"setUI","ui":"`+strings.Repeat("x", 17<<20)+`"}`))
	select {
	case <-bad.Over():
	case <-ctx.Done():
		t.Error("17 MB in one message are taken")
	}
	if f := good.call("setUI", map[string]any{"ui": map[string]any{"draft": strings.Repeat("x", 13<<20)}}, nil); f ==
		nil || f.Code != "usage" {
		t.Errorf("13 MB of state: %+v", f)
	}
	binary := dial(t, s)
	if err := binary.Conn.Write(t.Context(), websocket.MessageBinary, []byte{1}); err != nil {
		t.Fatal(err)
	}
	<-binary.Over()
	good.open("a.txt")
}

func TestTooManyPages(t *testing.T) {
	s := newWorld(t, nil).serve()
	var pages []*client
	for range 64 {
		pages = append(pages, dial(t, s))
	}
	conn, _, err := websocket.Dial(context.Background(), s.Socket(),
		&websocket.DialOptions{Subprotocols: []string{"waferpair", "token." + s.Token()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(context.Background()); websocket.CloseStatus(err) != websocket.StatusTryAgainLater {
		t.Errorf("the 65th page: %v", err)
	}
	pages[0].Close()
	deadline := time.Now().Add(patience)
	for { // the place is free once the server has noticed the end
		conn, _, err := websocket.Dial(context.Background(), s.Socket(),
			&websocket.DialOptions{Subprotocols: []string{"waferpair", "token." + s.Token()}})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = conn.Read(context.Background())
		conn.CloseNow()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// TestAHostileModel checks that a hostile model's text reaches the page unchanged and harms
// nobody.
func TestAHostileModel(t *testing.T) {
	w := newWorld(t, map[string]string{"a.txt": "one\ntwo\n"})
	s := w.serve()
	a := dial(t, s)
	a.open("a.txt")
	bad := "<script>alert(1)</script>\u202e\u200b\x1b[31m\x07" + strings.Repeat("long ", 200_000)
	out := a.ended(a.edit(w.script(append([]any{"<img src=x onerror=alert(1)>\u2028\x00\n"},
		patch("a.txt", "one", bad)...)...)))
	if out.Status != "completed" {
		t.Errorf("%+v", out)
	}
	want := "one\n" + bad + "\ntwo\n"
	a.wait("the page has it exactly", func() bool { return a.docs["a.txt"].shown().String() == want })
	w.onDisk("a.txt", want)
	a.look(func() {
		if got := fmt.Sprint(a.turn.parts[0]["text"]); !strings.HasPrefix(got, "<img src=x onerror=alert(1)>\u2028\x00") {
			t.Errorf("prose: %q", got)
		}
	})
}
