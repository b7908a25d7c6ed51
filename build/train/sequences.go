package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/spark/decoder"
	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
	"waferpair/engine/spark/propose"
)

// What the pointer decoder learns of: requests and their answers as tokens. Besides the seeds
// themselves there are two of them joined, which are a compound, and a seed with something
// joined to it that no operation covers, which has to be declined as a whole.

// clausesOf is the answer to a request made of a seed, false if a part of it cannot be
// pointed at.
func clausesOf(s seed, units []link.Unit, spans []span) ([]decoder.Clause, bool) {
	if s.class == linear.Decline {
		return []decoder.Clause{{Op: decoder.Decline, Labels: slices.Repeat([]string{linear.None}, len(units))}}, true
	}
	means := s.ops
	if len(means) == 0 {
		means = []meaning{{s.class, s.fixed}}
		if slices.ContainsFunc(spans, func(sp span) bool { return strings.HasSuffix(sp.slot, "2") }) {
			means = append(means, means[0])
		}
	}
	var out []decoder.Clause
	for i, m := range means {
		c, ok := clauseOf(i, m, means, units, spans)
		if !ok {
			return nil, false
		}
		out = append(out, c)
	}
	return out, true
}

// clauseOf is the answer's clause number i.
func clauseOf(i int, m meaning, all []meaning, units []link.Unit, spans []span) (decoder.Clause, bool) {
	c := decoder.Clause{Op: m.op, Labels: slices.Repeat([]string{linear.None}, len(units)), Fixed: map[string]string{}}
	allowed := append(propose.Slots(m.op), "owner", "file")
	for _, sp := range spans {
		if belongs(sp.slot, i, spans) && slices.Contains(allowed, sp.name()) {
			mark(&c, units, sp, sp.name())
		}
	}
	for _, slot := range slices.Sorted(maps.Keys(m.fixed)) {
		v := m.fixed[slot]
		if slot != "kind" && slot != "all" && slot != "which" && !slices.Contains(allowed, slot) {
			return c, false
		}
		switch {
		case v == "@":
			if !pointed(&c, units, i, len(all), slot) {
				return c, false
			}
		case strings.HasPrefix(v, "{"):
			if slot == "lines" || !named(&c, units, spans, strings.Trim(v, "{}"), slot, i, all) {
				return c, false
			}
		default:
			c.Fixed[slot] = v
		}
	}
	return c, true
}

// belongs reports whether a slot of the request is one of clause i: by its number in front,
// by the 2 behind it, or because both clauses share it.
func belongs(slot string, i int, spans []span) bool {
	if n := strings.IndexByte(slot, '.'); n > 0 {
		return int(slot[0]-'1') == i
	}
	if strings.HasSuffix(slot, "2") {
		return i == 1
	}
	return i == 0 || !slices.ContainsFunc(spans, func(sp span) bool { return sp.slot == slot+"2" })
}

// mark labels the units that overlap a span.
func mark(c *decoder.Clause, units []link.Unit, sp span, slot string) bool {
	any := false
	for k, u := range units {
		if 2*overlap(u.From, u.To, sp.from, sp.to) > len(u.Text) {
			c.Labels[k], any = slot, true
		}
	}
	return any
}

// pointed labels the pointer that fills a slot of clause i: the first one, in a second clause
// the last one, if it stands behind the first clause's slots.
func pointed(c *decoder.Clause, units []link.Unit, i, clauses int, slot string) bool {
	found := -1
	for k, u := range units {
		if u.Kind != link.Pointer || c.Labels[k] != linear.None {
			continue
		}
		if found < 0 || i > 0 && clauses > 1 {
			found = k
		}
	}
	if found < 0 {
		return false
	}
	c.Labels[found] = slot
	return true
}

// named labels what another clause's slot is filled with: the pointer that stands for it
// ("document it"), if one is behind it, or its name.
func named(c *decoder.Clause, units []link.Unit, spans []span, slot, as string, i int, all []meaning) bool {
	n := slices.IndexFunc(spans, func(sp span) bool { return sp.slot == slot })
	if n < 0 {
		return false
	}
	if i > 0 && isOutcome(all[i-1].op, slotName(slot)) {
		for k, u := range units {
			if u.Kind == link.Pointer && u.From > spans[n].to && c.Labels[k] == linear.None {
				c.Labels[k] = as
				return true
			}
		}
	}
	return mark(c, units, spans[n], as)
}

// isOutcome reports whether a slot is what an operation leaves to be called "it".
func isOutcome(op, slot string) bool {
	args := map[string]string{}
	for _, s := range propose.Slots(op) {
		args[s] = s
	}
	return propose.Outcome(op, args) == slot
}

// joinWords join two requests.
var joinWords = []string{" and ", ", and ", " and then ", ", then ", "; ", ". ", ". then ", ", ", " then ", " plus ",
	", also ", " and also ", ". also, ", " & ", " + ", "; then ", ", danach ", " und ", " und dann ", ", as well as ",
	". after that ", ". and "}

// joined is a compound of two seeds, or what has to be declined because the second one does.
func joined(rng *rand.Rand, a, b seed) seed {
	out := seed{style: a.style, class: compound, place: a.place + "+" + b.place,
		ops: []meaning{{a.class, a.fixed}, {b.class, b.fixed}}}
	if b.class == linear.Decline {
		out.class, out.ops = linear.Decline, nil
	}
	for i, s := range []seed{a, b} {
		if i == 1 {
			out.parts = append(out.parts, part{text: joinWords[rng.IntN(len(joinWords))]})
		}
		for k, p := range s.parts {
			if p.slot != "" {
				p.slot = fmt.Sprintf("%d.%s", i+1, p.slot)
			}
			if k == 0 && i == 1 && p.slot == "" && rng.IntN(3) > 0 {
				r := []rune(p.text)
				r[0] = unicode.ToLower(r[0])
				p.text = string(r)
			}
			if k == len(s.parts)-1 && i == 0 {
				p.text = strings.TrimRight(p.text, ".!? ")
			}
			out.parts = append(out.parts, p)
		}
	}
	return out
}

// limits are restrictions and conditions that no operation follows.
var limits = []string{" but only in tests", " only if nothing else uses it", " except in {file}", ", but not in {file}",
	" unless it is exported", " where it makes sense", " only for {type}", ", but keep the old one as an alias",
	" if it is longer than ten lines", " but not the public ones", " and make it thread-safe", " only the first time",
	" when {name} is empty", ", only on windows", ", without breaking the api", " in every third call",
	" and deprecate the old one", ", but keep the order", " if you think it is worth it", " and explain why",
	" with retries", " and cache the result", " except for {symbol}", " aber nur in den Tests", " außer in {file}",
	", falls es geht auch schneller", " and tell me what changed", " in all my other repositories", " on the main branch",
	" and send it to the team", " but leave the comment", " and roll it back if the tests fail", " for now",
}

// limited is a seed with a restriction behind it.
func limited(rng *rand.Rand, s seed) seed {
	limit := limits[rng.IntN(len(limits))]
	out := seed{style: s.style, class: linear.Decline, place: s.place, parts: slices.Clone(s.parts)}
	if limit == " for now" { // which restricts nothing
		out = s
		out.parts = slices.Clone(s.parts)
	}
	for i, p := range out.parts {
		if p.slot != "" && !strings.Contains(p.slot, ".") && out.class == linear.Decline {
			out.parts[i].slot = "1." + p.slot
		}
	}
	last := &out.parts[len(out.parts)-1]
	last.text = strings.TrimRight(last.text, ".!? ")
	out.parts = append(out.parts, cut(limit)...)
	if out.class == linear.Decline {
		out.ops = []meaning{{s.class, s.fixed}} // what its slots are filled for
	}
	return out
}

// single reports whether a seed is one operation with one slot of each name.
func (s seed) single() bool {
	return s.class != linear.Decline && s.class != compound && !slices.ContainsFunc(s.parts, func(p part) bool {
		return strings.HasSuffix(p.slot, "2")
	})
}

// variants calls yield with the seeds that the decoder learns of, each so many times: the
// seeds themselves, and of the single ones a share joined with others or restricted.
func variants(seeds []seed, rng *rand.Rand, renders int, yield func(seed)) {
	byStyle := map[string][]seed{}
	for _, s := range seeds {
		byStyle[s.style] = append(byStyle[s.style], s)
	}
	for _, s := range seeds {
		n := renders
		if s.class == compound || s.class == linear.Decline {
			n = renders * 2
		}
		same := byStyle[s.style]
		for range n {
			other := same[rng.IntN(len(same))]
			switch k := rng.IntN(100); {
			case s.single() && k < 13 && (other.single() || other.class == linear.Decline):
				yield(joined(rng, s, other))
			case s.single() && k >= 94:
				yield(limited(rng, s))
			default:
				yield(s)
			}
		}
	}
}

// sequence is what the decoder learns of one request.
type sequence struct {
	request []link.Unit
	clauses []decoder.Clause
}

// sequencesOf makes requests and answers of seeds and projects.
func sequencesOf(seeds []seed, projects []*project, v words, renders int, start uint64) []sequence {
	rng := rand.New(rand.NewPCG(start, 4))
	var out []sequence
	variants(seeds, rng, renders, func(s seed) {
		f := filler{rng: rng, p: projects[rng.IntN(len(projects))]}
		text, spans, ok := f.fill(s)
		if !ok {
			return
		}
		text, spans = f.frame(s, text, spans)
		units := link.Linker{Vocabulary: v.common}.Link(text, f.p.table)
		if clauses, ok := clausesOf(s, units, spans); ok {
			out = append(out, sequence{units, clauses})
		}
	})
	return out
}

// vocabularyFor numbers what the sequences have: operations with their slots, and the tokens
// of requests that occur often enough.
func vocabularyFor(sequences []sequence, v words) (*decoder.Vocabulary, error) {
	slots, fixed := map[string]map[string]bool{}, map[string]map[string]bool{}
	seen := map[string]int{}
	for _, s := range sequences {
		for _, c := range s.clauses {
			if slots[c.Op] == nil {
				slots[c.Op], fixed[c.Op] = map[string]bool{}, map[string]bool{}
			}
			for _, l := range c.Labels {
				slots[c.Op][l] = true
			}
			for k, val := range c.Fixed {
				fixed[c.Op][k+"="+val] = true
			}
		}
		for _, t := range decoder.TokensOf(s.request) {
			seen[t]++
		}
	}
	var ops []decoder.Op
	for _, name := range slices.Sorted(maps.Keys(slots)) {
		op := decoder.Op{Name: name, Fixed: slices.Sorted(maps.Keys(fixed[name]))}
		for _, s := range append(propose.Slots(name), "owner", "file") {
			if slots[name][s] {
				op.Slots = append(op.Slots, s)
			}
		}
		ops = append(ops, op)
	}
	var tokens []string
	for _, t := range slices.Sorted(maps.Keys(seen)) {
		mention := strings.HasPrefix(t, "<") && len(t) > 1 && strings.HasSuffix(t, ">")
		if v.all[t] || mention || seen[t] >= 20 && !unicode.IsLetter([]rune(t)[0]) {
			tokens = append(tokens, t)
		}
	}
	return decoder.NewVocabulary(ops, tokens)
}

// export writes the vocabulary (vocabulary.json) and the sequences (train.bin): for each one
// the tokens of the request, the tokens of both, as 16 bits, and the tokens.
func export(folder string, sequences []sequence, v *decoder.Vocabulary) (err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("export the sequences: %w", err)
	}
	head, err := json.Marshal(map[string]any{"tokens": v.Tokens, "ops": v.Ops})
	if err != nil {
		return fmt.Errorf("export the vocabulary: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "vocabulary.json"), head, 0o644); err != nil {
		return fmt.Errorf("export the vocabulary: %w", err)
	}
	f, err := os.Create(filepath.Join(folder, "train.bin"))
	if err != nil {
		return fmt.Errorf("export the sequences: %w", err)
	}
	defer func() {
		if e := f.Close(); err == nil && e != nil {
			err = fmt.Errorf("export the sequences: %w", e)
		}
	}()
	w := bufio.NewWriter(f)
	kept, tokens := 0, 0
	for _, s := range sequences {
		request, ok := v.Request(s.request)
		if !ok {
			continue
		}
		answer, err := v.Write(s.clauses)
		if err != nil {
			continue // a slot that the linker cut in two
		}
		kept++
		tokens += len(request) + len(answer)
		out := []uint16{uint16(len(request)), uint16(len(request) + len(answer))}
		for _, t := range append(request, answer...) {
			out = append(out, uint16(t))
		}
		if err := binary.Write(w, binary.LittleEndian, out); err != nil {
			return fmt.Errorf("export the sequences: %w", err)
		}
	}
	fmt.Fprintf(os.Stderr, "%d of %d sequences, %d tokens, %d words\n", kept, len(sequences), tokens, len(v.Tokens))
	return w.Flush()
}
