package providers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"waferpair/app/config"
)

// TestAModelWithAnUnusableNameIsNamed lists models of which one has a terminal's escapes in its name: it is shown
// quoted, as left out.
func TestAModelWithAnUnusableNameIsNamed(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"evil\u001b[31mred"},{"id":"ok"}]}`)
	}))
	t.Cleanup(h.Close)
	s := New(t.TempDir(), t.TempDir())
	t.Cleanup(s.Close)
	p := config.Provider{Name: "p", BaseURL: h.URL}
	if all, err := s.Refresh(t.Context(), p); err != nil || len(all) != 1 || all[0].ID != "ok" {
		t.Fatalf("%+v, %v", all, err)
	}
	if f, err := s.Try(t.Context(), p, nil); err != nil || len(f.Models) != 1 ||
		!strings.Contains(f.Note, `"evil\x1b[31mred" is left out`) || !strings.Contains(f.Note, "control character") {
		t.Errorf("%+v, %v", f, err)
	}
	if got := s.show(t.Context(), p).LeftOut; len(got) != 1 || got[0] != `"evil\x1b[31mred"` {
		t.Errorf("%q", got)
	}
}
