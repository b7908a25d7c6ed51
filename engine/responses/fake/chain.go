package fake

import (
	"hash/fnv"
	"maps"
)

// kept is a response that others may continue.
type kept struct {
	items  []map[string]any // conversation up to its end
	tokens int
	prefix uint64
}

// cache holds the latest response of each lane of a connection.
type cache map[string]map[string]*kept // lane -> id -> one response

func (c cache) find(id string) *kept {
	for _, one := range c {
		if k := one[id]; k != nil {
			return k
		}
	}
	return nil
}

// evict drops the parent of a continuation that failed, if it was of the same lane.
func (c cache) evict(r *Request) {
	if c != nil {
		delete(c[r.Lane], r.Parent)
	}
}

// counted is the conversation's size: what of it a prompt cache has, and its hash.
type counted struct {
	tokens, cached int
	prefix         uint64
}

// chain makes the conversation of r: that of its parent, then what is new.
func (s *Server) chain(r *Request, c cache) *apiError {
	if r.Parent == "" {
		r.Items = r.New
		return nil
	}
	k := c.find(r.Parent)
	if k == nil {
		s.mu.Lock()
		k = s.stored[r.Parent]
		s.mu.Unlock()
	}
	if k == nil || c == nil && !s.Caps.Chaining {
		return bad("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.",
			r.Parent)
	}
	r.Items = append(k.items[:len(k.items):len(k.items)], r.New...)
	return nil
}

// store keeps a response for those that continue it.
func (s *Server) store(r *Request, id string, output []object, n counted, c cache) {
	k := &kept{items: r.Items[:len(r.Items):len(r.Items)], tokens: n.tokens, prefix: n.prefix}
	for _, o := range output {
		item := map[string]any{}
		for _, m := range o {
			item[m.key] = m.value
		}
		item = asMap(roundTrip(item))
		k.items = append(k.items, item)
		k.add(item)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[k.prefix] = true
	if c != nil {
		c[r.Lane] = map[string]*kept{id: k}
	}
	if s.Caps.Chaining && r.Params["store"] != false {
		s.stored[id] = k
	}
}

// count walks the conversation. A prefix that was seen before, to the byte of each item, is
// cached: instructions, tools or items that change their order cost the whole prompt.
func (s *Server) count(r *Request, c cache) counted {
	k := &kept{prefix: hashOf(0, encode([]any{r.Model, r.Params["instructions"], r.Params["tools"]}))}
	k.tokens = len(encode([]any{r.Params["instructions"], r.Params["tools"]})) / 4
	items := r.Items
	s.mu.Lock()
	defer s.mu.Unlock()
	n := counted{}
	if p := c.find(r.Parent); p != nil && r.Parent != "" {
		k, items, n.cached = &kept{tokens: p.tokens, prefix: p.prefix}, r.New, p.tokens
	}
	for _, item := range items {
		k.add(item)
		if s.seen[k.prefix] {
			n.cached = k.tokens
		}
		s.seen[k.prefix] = true
	}
	n.tokens, n.prefix = k.tokens, k.prefix
	return n
}

// add counts an item. Its id and status are the server's, and may be left out.
func (k *kept) add(item map[string]any) {
	if item["id"] != nil || item["status"] != nil {
		item = maps.Clone(item)
		delete(item, "id")
		delete(item, "status")
	}
	b := encode(item)
	k.tokens += (len(b) + 3) / 4
	k.prefix = hashOf(k.prefix, b)
}

func hashOf(before uint64, b []byte) uint64 {
	h := fnv.New64a()
	var seed [8]byte
	for i := range seed {
		seed[i] = byte(before >> (8 * i))
	}
	h.Write(seed[:])
	h.Write(b)
	return h.Sum64()
}
