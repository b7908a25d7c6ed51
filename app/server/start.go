package server

import (
	"context"
	"net/http"
	"time"
)

// startWithin is the time that a page waits for the folder of the command line, so that it is
// not shown without one first. A slower folder appears when it is open.
const startWithin = 2 * time.Second

// Start opens a folder while the window opens, and returns the handler of the window's view.
// The page shows an error, and offers other folders. With folder "" there is only the start
// page.
func (s *Server) Start(ctx context.Context, folder string) http.Handler {
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		if folder == "" {
			return
		}
		if err := s.host.open(ctx, folder); err != nil && ctx.Err() == nil {
			s.host.notice(levelError, err.Error())
		}
	}()
	return afterStart(opened, s.NativeHandler())
}

// afterStart delays the answer with the WebSocket's address; everything else is answered at once.
func afterStart(opened <-chan struct{}, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/boot.json" {
			select {
			case <-opened:
			case <-time.After(startWithin):
			case <-r.Context().Done():
			}
		}
		next.ServeHTTP(w, r)
	})
}

// RecentFolders lists the folders that were open, the newest first.
func RecentFolders(opt Options) []string {
	var out []string
	for _, r := range newUserFiles(opt).recent() {
		out = append(out, r.Root)
	}
	return out
}
