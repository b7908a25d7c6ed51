package server

import (
	"bytes"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// types maps the endings of the built page's files. The system's own table is not the same
// everywhere, and nosniff makes a wrong type fatal.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".ico": "image/x-icon", ".woff2": "font/woff2", ".woff": "font/woff",
	".json": "application/json", ".map": "application/json", ".txt": "text/plain; charset=utf-8",
}

// serveAsset serves a file of the built page, which holds no secrets.
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		refuse(w, http.StatusMethodNotAllowed, "The page can only be read.")
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	body, err := readAsset(s.opt.Page, name)
	switch {
	case err != nil && name == "index.html":
		refuse(w, http.StatusNotFound, "This waferpair was built without its page: run 'make build', which builds both.")
	case err != nil:
		refuse(w, http.StatusNotFound, "The page has no such file.")
	default:
		w.Header().Set("Content-Type", types[path.Ext(name)])
		w.Header().Set("Cache-Control", caching(name))
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	}
}

// readAsset reads a file with a known ending; fs.ValidPath keeps names inside the file system.
func readAsset(page fs.FS, name string) ([]byte, error) {
	if types[path.Ext(name)] == "" {
		return nil, fs.ErrNotExist
	}
	return fs.ReadFile(page, name)
}

// caching returns the cache policy: names below assets/ contain a hash of the content.
func caching(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}
