package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"waferpair/app/server"
)

func windowOptions(home string) server.Options {
	return server.Options{
		Native: true, DataHome: filepath.Join(home, "data"), ConfigHome: filepath.Join(home, "config"),
		StateHome: filepath.Join(home, "state"), Page: fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}},
	}
}

// startWindow starts a server as the window does, and answers what the page is told first.
func startWindow(t *testing.T, opt server.Options, folder string) (s *server.Server, hello server.Hello,
	notices []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s = server.New(opt)
	if err := s.Listen(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	answer := httptest.NewRecorder()
	s.Start(t.Context(), folder).ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet,
		"wails://wails/boot.json", nil))
	var boot struct{ WS, Token string }
	if err := json.Unmarshal(answer.Body.Bytes(), &boot); err != nil {
		t.Fatal(err)
	}
	conn, _, err := websocket.Dial(ctx, boot.WS, &websocket.DialOptions{Subprotocols: []string{"waferpair",
		"token." + boot.Token}, HTTPHeader: http.Header{"Origin": {"wails://wails"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if err := wsjson.Read(ctx, conn, &hello); err != nil {
		t.Fatal(err)
	}
	if hello.Project != nil && hello.Project.ReadOnly == "" {
		return s, hello, nil
	}
	var frame server.Frame // a folder that is not as usual is told about
	if err := wsjson.Read(ctx, conn, &frame); err != nil {
		t.Fatal(err)
	}
	for _, n := range frame.Notices {
		notices = append(notices, n.Text)
	}
	return s, hello, notices
}

func TestTheWindowsFirstPageHasTheProject(t *testing.T) {
	home := t.TempDir()
	project := filepath.Join(home, "shop")
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	opt := windowOptions(home)
	_, hello, _ := startWindow(t, opt, project)
	if hello.Project == nil || hello.Project.Root != project || !hello.Native {
		t.Errorf("greeted with %+v", hello)
	}
	if got := server.RecentFolders(opt); !slices.Equal(got, []string{project}) {
		t.Errorf("recent folders: %v", got)
	}

	// A second window on the same folder shows it and says why nothing can be changed.
	_, hello, notices := startWindow(t, opt, project)
	if hello.Project == nil || hello.Project.ReadOnly == "" || !strings.Contains(strings.Join(notices, "\n"),
		"this project is already open in another window or command") {
		t.Errorf("second window: %+v, %q", hello.Project, notices)
	}
}

func TestAFolderThatCannotBeOpenedIsToldToTheFirstPage(t *testing.T) {
	home := t.TempDir()
	missing := filepath.Join(home, "missing")
	_, hello, notices := startWindow(t, windowOptions(home), missing)
	if hello.Project != nil || len(notices) != 1 || !strings.Contains(notices[0], missing) {
		t.Errorf("project %+v, notices %q", hello.Project, notices)
	}
}
