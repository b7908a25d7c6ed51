package refactor_test

import (
	"testing"

	"waferpair/engine/refactor"
)

func TestNameFor(t *testing.T) {
	for _, c := range []struct{ typ, like, want string }{
		{"Config", "fetch", "config"}, {"*http.Request", "fetch", "req"}, {"context.Context", "fetch", "ctx"},
		{"HTTPClient", "fetch", "httpClient"}, {"HTTPClient", "fetch_page", "http_client"}, {"[]byte", "f", "data"},
		{"[]Order", "f", "orders"}, {"Promise<Order[]>", "f", "promises"}, {"Order | null", "f", "order"},
		{"Map<string, number>", "f", "entries"}, {"dict[str, int]", "f_g", "options"}, {"", "f", "value"},
		{"_private_thing", "f_g", "private_thing"}, {"time.Duration", "f", "duration"},
	} {
		if got := refactor.NameFor(c.typ, c.like); got != c.want {
			t.Errorf("NameFor(%q, %q) = %q, want %q", c.typ, c.like, got, c.want)
		}
	}
}
