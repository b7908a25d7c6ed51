package spark

import (
	"strings"

	"waferpair/engine/refactor/words"
)

// articles may stand before any word of a phrase and before a name.
var articles = words.Set("the a an my our this that")

// prepositions never have an article before them: in "rename a to b" the a is a name.
var prepositions = words.Set("to from in into inside of on onto for with by as at is are be and then instead or")

// meaningful words change what is asked for. Whatever their case they are
// never names, types or values unless they are quoted, and no pattern skips them.
var meaningful = words.Set(`only not don't dont doesn't doesnt never no nothing none-of neither nor
	except excluding besides unless without but if when whenever while until till before after
	instead maybe perhaps possibly either or else otherwise some most few several half partly
	mostly almost temporarily sometimes once again twice however although though because since
	should shouldn't won't wouldn't can't cannot must mustn't`)

// grammatical words hold sentences together. In lower case they are names only when quoted.
var grammatical = words.Set(`the an to from in into of on onto for with by as at is are was be been being
	and then also it its it's them they their these those this that there here which who whom whose what
	why how where all any every each both other another everything something anything everywhere
	please thanks you we he she me us my our your than so just too very via per upon within inside
	across throughout above below under over between during called named instead new unused`)

// nouns name kinds of things; "a" before one of them is an article, and in
// lower case they are names only when quoted.
var nouns = words.Set(`function functions func funcs method methods class classes struct structs interface
	interfaces variable variables constant constants parameter parameters param params argument arguments
	field fields property properties attribute attributes member members symbol symbols identifier
	identifiers import imports file files package packages module modules project codebase repository
	selection comments docstring docstrings tests todo line lines declaration declarations statement
	statements call calls callers expression literal comment
	use uses usage usages occurrence occurrences instance instances reference references`)

// vague words before a noun describe a thing without naming it: "the last
// parameter" is not the parameter called last.
var vague = words.Set(`first last second third next previous current other same wrong bad good old big small long
	short public private exported internal external global local static default duplicate duplicated stale
	extra optional missing useless needless double right relative absolute standard third-party required few`)

// describing words say which sort of thing a new parameter or field is, or how
// many there are: before a type they are not its name.
var describing = words.Set(`an one two three four another additional extra optional new own real proper plain single typed
	generic nullable non-null required mandatory valid custom certain specific particular raw simple normal regular
	separate full whole first last second third default same shared numeric integral integer floating textual variadic
	keyword positional named trailing leading final trivial basic small big little large nice suitable appropriate
	corresponding matching dedicated existing immutable mutable constant empty private public exported static readonly
	standard usual common concrete abstract parsed pointer reference slice array map list vector sequence collection
	pair tuple set dictionary literal primitive`)

// reserved reports whether an unquoted word cannot be a name.
func reserved(w string) bool {
	return meaningful[strings.ToLower(w)] || grammatical[w] || nouns[w]
}

// CanName reports whether a word of a request can be a name as it stands.
func CanName(w string) bool { return !reserved(w) }

// builtinTypes are the lower-case words that are read as a type where a type
// may or may not follow a name.
var builtinTypes = words.Set(`int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64
	complex64 complex128 string bool byte rune error any str float bytes bytearray list dict tuple frozenset
	object complex number boolean bigint void unknown never null undefined`)

// literalWords are the lower-case words that are values by themselves.
var literalWords = words.Set("true false nil null undefined True False None NaN Infinity")

// sourceExts end the names of files that operations work on: server.go is a
// file, never the symbol go of server.
var sourceExts = words.Set("go py pyi ts tsx mts cts js jsx mjs cjs")
