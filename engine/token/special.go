package token

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"waferpair/engine/gguf"
)

// maxSpecial is a limit of the names of special tokens together. Published vocabularies have less
// than 100,000 bytes of them.
const maxSpecial = 1 << 22

// trie finds the special tokens in a text: control, unknown and user-defined ones.
type trie struct {
	nodes []node // 0 is the root
	names *arena
	kinds []kind
	// the bytes with which a name begins: of user-defined tokens, and of all
	first [2][256]bool
}

type node struct {
	child, sibling int32 // 0: none
	id             int32 // of the token that ends here, or none
	b              byte
}

// match is a special token in a text.
type match struct {
	begin, end int
	id         int32
}

func (v *Vocabulary) newTrie() (*trie, error) {
	t := &trie{nodes: []node{{id: none}}, names: &v.names, kinds: v.kinds}
	total := 0
	for id := range int32(len(v.kinds)) {
		if k := v.kinds[id]; k == control || k == unknown || k == userDefined {
			name := v.names.at(id)
			if total += len(name); total > maxSpecial {
				return nil, fmt.Errorf("the names of its special tokens have more than %d bytes", maxSpecial)
			}
			if other := t.add(name, id); other != none {
				return nil, fmt.Errorf("tokens %d and %d are both %q", other, id, name)
			}
		}
	}
	return t, nil
}

// add adds a token, or returns the one that has its name.
func (t *trie) add(name string, id int32) (other int32) {
	at := int32(0)
	for i := range len(name) {
		next := t.child(at, name[i])
		if next == 0 {
			next = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{sibling: t.nodes[at].child, id: none, b: name[i]})
			t.nodes[at].child = next
		}
		at = next
	}
	if other = t.nodes[at].id; other == none {
		t.nodes[at].id = id
		t.first[1][name[0]] = true
		t.first[0][name[0]] = t.first[0][name[0]] || t.kinds[id] == userDefined
	}
	return other
}

func (t *trie) child(at int32, b byte) int32 {
	for at = t.nodes[at].child; at != 0 && t.nodes[at].b != b; at = t.nodes[at].sibling {
	}
	return at
}

// find returns the special token with a name, or none.
func (t *trie) find(name string) int32 {
	at := int32(0)
	for i := range len(name) {
		if at = t.child(at, name[i]); at == 0 {
			return none
		}
	}
	return t.nodes[at].id
}

// cut returns the special tokens in a text, in its order; all tells whether control tokens are
// among them. Longer tokens go first, as in llama.cpp (tokenizer_st_partition); that matters only
// where tokens overlap.
func (t *trie) cut(text string, all bool) []match {
	list, overlap := t.scan(text, all)
	if overlap {
		return t.cutLongest(text, list)
	}
	return list
}

// scan returns the matches in a text that begin at different places, and for each token that
// occurs at least one; overlap reports whether that is not the answer yet.
func (t *trie) scan(text string, all bool) (list []match, overlap bool) {
	first, seen := &t.first[0], map[int32]bool(nil)
	if all {
		first = &t.first[1]
	}
	free := 0 // the end of the matches so far
	for at := range len(text) {
		if !first[text[at]] {
			continue
		}
		for n, end := int32(0), at; end < len(text); {
			if n = t.child(n, text[end]); n == 0 {
				break
			}
			end++
			id := t.nodes[n].id
			if id == none || !all && t.kinds[id] != userDefined {
				continue
			}
			overlap = overlap || at < free
			if overlap {
				if seen == nil {
					seen = map[int32]bool{}
				}
				if seen[id] {
					continue
				}
				seen[id] = true
			}
			free = max(free, end)
			list = append(list, match{at, end, id})
		}
	}
	return list, overlap
}

// cutLongest cuts a text at the tokens that occur in it, the longest one first: each at all places
// that are still free.
func (t *trie) cutLongest(of string, occur []match) []match {
	slices.SortFunc(occur, func(a, b match) int {
		if d := len(t.names.at(b.id)) - len(t.names.at(a.id)); d != 0 {
			return d
		}
		return int(a.id - b.id)
	})
	occur = slices.CompactFunc(occur, func(a, b match) bool { return a.id == b.id })
	var cuts []match
	for _, token := range occur {
		name := t.names.at(token.id)
		var next []match
		at := 0
		for _, c := range append(cuts, match{begin: len(of), end: len(of)}) {
			for {
				found := strings.Index(of[at:c.begin], name)
				if found < 0 {
					break
				}
				next = append(next, match{at + found, at + found + len(name), token.id})
				at += found + len(name)
			}
			if at = c.end; c.begin < len(of) {
				next = append(next, c)
			}
		}
		cuts = next
	}
	return cuts
}

// special tokens by their names, where the file gives no id. They are those of llama.cpp's load;
// the first one that a vocabulary has counts.
var (
	turnEnds = []string{"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>",
		"<|end_of_text|>", "<EOT>", "_<EOT>", "[EOT]", "<｜end▁of▁sentence｜>", "<end_of_utterance>"}
	messageEnds = []string{"<|eom_id|>"}
	otherEnds   = []string{"</s>", "[EOS]", "<eos>"}
	fimPrefixes = []string{"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
		"<|code_prefix|>", "<|prefix|>"}
	fimSuffixes = []string{"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
		"<|code_suffix|>", "<|suffix|>"}
	fimMiddles = []string{"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
		"<|code_middle|>", "<|middle|>"}
	fimPads  = []string{"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}
	fimRepos = []string{"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}
	fimFiles = []string{"<|file_sep|>"}
)

// readSpecial reads what the file says about special tokens, and finds those it does not name by
// their usual names.
func (v *Vocabulary) readSpecial(f *gguf.File) error {
	usual := [3]int32{none, none, none} // of begin, end, unknown
	if v.sentences {
		usual, v.addBOS = [3]int32{1, 2, 0}, true
	}
	named := v.usualNames()
	withoutMerged(f, named)
	turn, message := none, none
	v.ends = map[int32]bool{}
	for _, role := range []struct {
		id      *int32
		missing int32
		names   []string
		ends    bool
		keys    []string
	}{
		{&v.begin, usual[0], nil, false, []string{"bos"}},
		{&v.end, usual[1], nil, true, []string{"eos"}},
		{&v.unknown, usual[2], nil, false, []string{"unknown"}},
		{&turn, none, turnEnds, true, []string{"eot"}},
		{&message, none, messageEnds, true, []string{"eom"}},
		{&v.fim.Prefix, none, fimPrefixes, false, []string{"fim_pre", "prefix"}},
		{&v.fim.Suffix, none, fimSuffixes, false, []string{"fim_suf", "suffix"}},
		{&v.fim.Middle, none, fimMiddles, false, []string{"fim_mid", "middle"}},
		{&v.fim.Pad, none, fimPads, true, []string{"fim_pad"}},
		{&v.fim.Repo, none, fimRepos, true, []string{"fim_rep"}},
		{&v.fim.File, none, fimFiles, true, []string{"fim_sep"}},
	} {
		if err := v.readID(f, role.id, role.missing, role.keys); err != nil {
			return err
		}
		if *role.id == none {
			*role.id = v.controlNamed(named, role.names)
		}
		if role.ends && *role.id != none {
			v.ends[*role.id] = true
		}
	}
	for _, name := range slices.Concat(turnEnds, messageEnds, otherEnds) {
		if id := v.controlNamed(named, []string{name}); id != none {
			v.ends[id] = true
		}
	}
	for _, name := range speakers {
		v.controlNamed(named, []string{name})
	}
	if err := v.readAdds(f); err != nil {
		return err
	}
	var err error
	v.special, err = v.newTrie()
	return err
}

// usualNames finds the tokens that have one of the names above.
func (v *Vocabulary) usualNames() map[string]int32 {
	wanted, found := map[string]bool{}, map[string]int32{}
	for _, name := range slices.Concat(turnEnds, messageEnds, otherEnds, speakers, fimPrefixes, fimSuffixes, fimMiddles,
		fimPads, fimRepos, fimFiles) {
		wanted[name] = true
	}
	for id := range int32(len(v.kinds)) {
		if name := v.names.at(id); len(name) < 40 && strings.IndexByte(nameStarts, name[0]) >= 0 && wanted[name] {
			found[name] = id
		}
	}
	return found
}

// withoutMerged removes the names that merges make: they are words of texts, such as the </s> of HTML in
// Qwen's vocabularies.
func withoutMerged(f *gguf.File, named map[string]int32) {
	array, _ := f.Metadata[mergesKey].(gguf.Array)
	list, ok := array.Texts()
	if !ok {
		return
	}
	var joined []byte
	for _, merge := range list {
		if len(merge) > 1 && strings.IndexByte(nameStarts, merge[0]) >= 0 {
			middle := bytes.IndexByte(merge[1:], ' ') + 1
			joined = append(append(joined[:0], merge[:middle]...), merge[middle+1:]...)
			delete(named, string(joined))
		}
	}
}

// speakers begin what somebody says: text of users must not speak as somebody else.
var speakers = []string{"<|im_start|>", "<|start_header_id|>", "<|end_header_id|>", "<|begin_of_text|>"}

// nameStarts are the bytes with which the usual names begin.
const nameStarts = "<[_\xe2"

// controlNamed returns the first token that has one of the names, or none. It is a control token
// from then on, whatever the file says: text of users must not end an answer.
func (v *Vocabulary) controlNamed(named map[string]int32, names []string) int32 {
	for _, name := range names {
		if id, ok := named[name]; ok {
			v.kinds[id] = control
			return id
		}
	}
	return none
}

// readID reads the id of a special token from the first of the keys that the file has.
func (v *Vocabulary) readID(f *gguf.File, to *int32, missing int32, keys []string) error {
	*to = none
	if missing < int32(len(v.kinds)) {
		*to = missing
	}
	for _, name := range keys {
		key := "tokenizer.ggml." + name + "_token_id"
		var id int64
		switch n := f.Metadata[key].(type) {
		case nil:
			continue
		case uint32:
			id = int64(n)
		case int32:
			id = int64(n)
		default:
			return fmt.Errorf("%s is %s, which is no id of a token", key, short(n))
		}
		if id < 0 || id >= int64(len(v.kinds)) {
			return fmt.Errorf("%s is %d, and there are %d tokens", key, id, len(v.kinds))
		}
		*to = int32(id)
		return nil
	}
	return nil
}

// readAdds reads whether BOS and EOS are added to texts.
func (v *Vocabulary) readAdds(f *gguf.File) (err error) {
	v.addBOS = v.addBOS && v.begin != none // a habit of the pattern, which the file need not have
	if v.addBOS, err = value(f, addBOSKey, v.addBOS); err != nil {
		return err
	}
	if v.addEOS, err = value(f, addEOSKey, false); err != nil {
		return err
	}
	if v.addBOS && v.begin == none || v.addEOS && v.end == none {
		return fmt.Errorf("it says that a token is added to each text, and not which one: %s or %s", addBOSKey, addEOSKey)
	}
	return nil
}
