package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/config-service/store"
)

func TestFlags(t *testing.T) {
	h := New(store.New(map[string]string{"beta": "on"}))
	for _, c := range []struct {
		path string
		code int
		body string
	}{
		{"/flags", http.StatusOK, `["beta"]`},
		{"/flags/beta", http.StatusOK, `"on"`},
		{"/flags/none", http.StatusNotFound, "404"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", c.path, nil))
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.body) {
			t.Errorf("GET %s: %d %q", c.path, w.Code, w.Body)
		}
	}
}
