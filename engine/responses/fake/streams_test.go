package fake_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"waferpair/engine/responses/fake"
)

// Each recorded stream is listed, consists of JSON, has in it what the list says, and arrives
// unchanged however it is cut.
func TestStreams(t *testing.T) {
	found, err := os.ReadDir("testdata/streams")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(fake.Streams()) {
		t.Errorf("%d files, %d listed", len(found), len(fake.Streams()))
	}
	for _, s := range fake.Streams() {
		for line := range bytes.Lines(s.Body()) {
			data, is := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), []byte("data:"))
			data = bytes.TrimSpace(data)
			if is && string(data) != "[DONE]" && !json.Valid(data) {
				t.Errorf("%s: %s", s.Name, data)
			}
		}
		if !strings.Contains(string(s.Body()), s.Error) || (s.Stop == "") != (s.Error != "") {
			t.Errorf("%s: stop %q, error %q", s.Name, s.Stop, s.Error)
		}
		server := fake.New(fake.VLLM(), func(*fake.Request) fake.Answer { return s.Recorded(40, -1) })
		path, body := "/responses", `{"model":"small","stream":true,"input":"x"}`
		if s.OfChat() {
			path, body = "/chat/completions", `{"model":"small","stream":true,"messages":[{"role":"user","content":"x"}]}`
		}
		got, err := io.ReadAll(post(t, serve(t, server).URL+path, body).Body)
		if err != nil || !bytes.Equal(got, s.Body()) {
			t.Errorf("%s: %v after %d of %d bytes", s.Name, err, len(got), len(s.Body()))
		}
	}
}
