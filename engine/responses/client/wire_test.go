package client

import (
	"strings"
	"testing"
	"time"

	"waferpair/engine/model"
	"waferpair/engine/responses/fake"
)

// TestEndless ends an answer that does not end, over each wire.
func TestEndless(t *testing.T) {
	for _, sockets := range []bool{true, false} {
		_, c := serve(t, fake.OpenAI(),
			fake.Answers(fake.Answer{Items: []fake.Item{fake.Say("a")}, Fault: fake.Flooding(4 << 20)}),
			func(p *Provider) { p.WebSockets = sockets })
		c.most = 1 << 20
		a := ask(t.Context(), c, model.User("hi"))
		if a.err == nil || !strings.Contains(a.err.Error(), "longer than") || a.result.Stop != model.StopCut {
			t.Errorf("%v", a.err)
		}
	}
}

// TestKeptConnections uses the connections of earlier requests again, and no socket that is too old.
func TestKeptConnections(t *testing.T) {
	for _, test := range []struct {
		sockets bool
		age     time.Duration
		want    int // connections of three requests
	}{{true, 0, 1}, {false, 0, 1}, {true, 1, 3}} {
		server, c := serve(t, fake.OpenAI(), fake.Always(fake.Say("ready")), func(p *Provider) {
			p.WebSockets, p.MaxAge = test.sockets, test.age
		})
		var said []model.Item
		for range 3 {
			said = append(said, model.User("hi"))
			a := ask(t.Context(), c, said...)
			if a.err != nil {
				t.Fatal(a.err)
			}
			said = append(said, a.Items()...)
		}
		conns := map[int]bool{}
		for _, q := range server.Asked() {
			conns[q.Conn] = true
		}
		if len(conns) != test.want {
			t.Errorf("%+v: %d connections", test, len(conns))
		}
	}
}
