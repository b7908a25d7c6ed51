package token

import (
	"sync"
)

// Vocabulary is the tokens of a model. It does not change.
type Vocabulary struct {
	names   arena // as the file has them
	pieces  arena // the bytes that tokens stand for in a text; none for control tokens
	kinds   []kind
	longest int    // bytes of a text that a token stands for, at most
	texts   *texts // of the tokens that merges may make
	merger  merger

	pattern   pattern   // of model gpt2
	sentences bool      // model llama
	prefix    bool      // model llama: a space goes before a text
	cuts      bool      // model llama: no token has a space after another character, so pieces can be cut there
	inner     [256]bool // model llama: the bytes that are in a token together with others
	unknown   int32
	bytes     [256]int32 // the token of a byte, or none

	special        *trie
	begin, end     int32 // BOS and EOS, or none
	addBOS, addEOS bool
	ends           map[int32]bool
	fim            FIM
	template       string

	proofs  []uint32 // see proof
	scratch sync.Pool
}

// kind is the type of a token, by the numbers of tokenizer.ggml.token_type.
type kind uint8

const (
	normal      kind = 1
	unknown     kind = 2
	control     kind = 3
	userDefined kind = 4
	unused      kind = 5
	byteToken   kind = 6
)

// FIM are the tokens around the parts of a text whose middle is to be filled in:
//
//	Prefix before Suffix after Middle
//
// A vocabulary that has these three may have Pad, Repo and File too, which begin what comes
// from other files; -1 where it has not.
type FIM struct{ Prefix, Suffix, Middle, Pad, Repo, File int32 }

// Size returns the number of tokens. Ids are 0 to Size()-1.
func (v *Vocabulary) Size() int { return len(v.kinds) }

// Least returns the fewest tokens that a text can have: what is far too long need not be encoded to be refused.
func (v *Vocabulary) Least(text string) int { return (len(text) + v.longest - 1) / v.longest }

// Piece returns the bytes that a token stands for in a text: maybe a part of a character, nothing
// for control tokens and for ids that do not exist.
func (v *Vocabulary) Piece(id int32) string {
	if uint32(id) >= uint32(len(v.kinds)) {
		return ""
	}
	return v.pieces.at(id)
}

// Name returns a token's text as the file has it, for people and for the names of special tokens.
func (v *Vocabulary) Name(id int32) string {
	if uint32(id) >= uint32(len(v.kinds)) {
		return ""
	}
	return v.names.at(id)
}

// Control reports whether a token is a control token: it is not part of any text.
func (v *Vocabulary) Control(id int32) bool {
	return uint32(id) < uint32(len(v.kinds)) && v.kinds[id] == control
}

// Special returns the special token (control or user-defined) with a name, such as <|im_end|>.
func (v *Vocabulary) Special(name string) (id int32, ok bool) {
	id = v.special.find(name)
	return id, id != none
}

// BOS returns the token at the beginning of a text, if it has one. Encode adds it only when the
// vocabulary wants it.
func (v *Vocabulary) BOS() (id int32, ok bool) { return v.begin, v.begin != none }

// EOS returns the token at the end of a text.
func (v *Vocabulary) EOS() (id int32, ok bool) { return v.end, v.end != none }

// Ends reports whether a token ends an answer: of a text, a turn, a message, or what begins
// another file.
func (v *Vocabulary) Ends(id int32) bool { return v.ends[id] }

// FIM returns the tokens for filling in a text, if the vocabulary has them.
func (v *Vocabulary) FIM() (FIM, bool) {
	return v.fim, v.fim.Prefix != none && v.fim.Suffix != none && v.fim.Middle != none
}

// Template returns the model's chat template, in Jinja, or "".
func (v *Vocabulary) Template() string { return v.template }
