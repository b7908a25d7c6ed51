package treesitter

import (
	"strings"
	"unicode"

	"waferpair/engine/refactor/words"
)

var pyKeywords = words.Set(`False None True and as assert async await break class continue def del elif else except
finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

var pyBuiltins = words.Set(`ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning
EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError
FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError
NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError
PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError
ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning
SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError
UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning
ZeroDivisionError abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr
classmethod compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter
float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len
license list locals map max memoryview min next object oct open ord pow print property quit range repr
reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
__import__ __name__ __file__ __doc__ __builtins__ __spec__ __package__ __loader__ __debug__ __path__`)

var jsKeywords = words.Set(`await break case catch class const continue debugger default delete do else enum export extends
false finally for function if implements import in instanceof interface let new null package private
protected public return static super switch this throw true try typeof var void while with yield
arguments eval undefined NaN Infinity`)

// identifier reports whether name can be an identifier; extra are the
// characters that the language allows besides letters, digits and _.
func identifier(name, extra string) bool {
	for i, r := range name {
		ok := r == '_' || unicode.IsLetter(r) || strings.ContainsRune(extra, r) || i > 0 && unicode.IsDigit(r)
		if !ok {
			return false
		}
	}
	return name != ""
}
