package window

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// pipeWriter responds as Wails does: through a pipe that children inherit.
type pipeWriter struct {
	header http.Header
	r, w   *os.File
}

func (p *pipeWriter) Header() http.Header { return p.header }

func (p *pipeWriter) WriteHeader(int) {
	var fd [2]int
	if err := syscall.Pipe2(fd[:], 0); err != nil {
		panic(err)
	}
	p.r, p.w = os.NewFile(uintptr(fd[0]), "r"), os.NewFile(uintptr(fd[1]), "w")
}

func (p *pipeWriter) Write(b []byte) (int, error) { return p.w.Write(b) }

func TestAResponseEndsBeforeTheProgramStartedInIt(t *testing.T) {
	var child *exec.Cmd
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "hello")
		child = exec.CommandContext(t.Context(), "cat")
		stdin, err := child.StdinPipe() // cat lives until this is closed
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stdin.Close(); child.Wait() })
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
	})

	w := &pipeWriter{header: http.Header{}}
	seal(handler).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	w.w.Close()

	if err := child.Process.Signal(syscall.Signal(0)); err != nil {
		t.Fatalf("the program is gone: %v", err)
	}
	read := make(chan string)
	go func() {
		b, _ := io.ReadAll(w.r)
		read <- string(b)
	}()
	if got := awaitString(t, read); got != "hello" {
		t.Errorf("read %q", got)
	}
}

func TestSealWritesTheHeaderOnce(t *testing.T) {
	w := httptest.NewRecorder()
	seal(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Seen", "yes")
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK)
		io.WriteString(w, "x")
	})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusTeapot || w.Header().Get("X-Seen") != "yes" || w.Body.String() != "x" {
		t.Errorf("got %d %v %q", w.Code, w.Header(), w.Body)
	}
}
