package treesitter

import (
	"context"
	"strings"
	"testing"

	"waferpair/engine/refactor"
)

// oneFile is a project of a single file.
type oneFile struct{ path, src string }

func (o oneFile) Files(context.Context) ([]string, error) { return []string{o.path}, nil }
func (o oneFile) Read(string) ([]byte, error)             { return []byte(o.src), nil }
func (o oneFile) Root() string                            { return "/nowhere" }

// In the sources below, the comment at a line's end is the mark that selects it.
const enclosedPython = `LIMIT = 3 #limit
count = 0 #count

# How wide.
@cache #decorator
def area(w, h):
    def inner(x): #inner
        return x #innerbody
    k = w #area
    return [i for i in (lambda: h)()] #lambda

class Box: #box
    size = 1 #size

    @property #prop
    def width(self):
        return self.size #width

    class Lid: #lid
        def open(self): #open
            self.x = 1 #body
`

const enclosedTS = `import x from "y" //import
export const LIMIT = 3 //limit
/** Doubles. */
export function twice(n: number): number { //twice
  return n + n //twicebody
}
const half = (n: number) => { //half
  const k = n / 2 //k
  return [1].map(v => v + k) //map
}
export class Box<T> { //box
  size = 1 //size
  static { } //static
  @log() //deco
  open(a: string): void { //open
    const api = { go() { return a } } //literal
    this.size++ //body
  }
  onClick = () => { //click
    return this.size //clickbody
  }
}
interface Shape { //shape
  area(): number //sig
  name: string //prop
}
type Pair = { a: number } //pair
export default class { //anon
  run() { //run
  }
}
let p = 1, q = 2 //two
`

func TestEnclosing(t *testing.T) {
	for _, c := range []struct{ file, mark, kind, want string }{
		{"a.py", "limit", "", "const LIMIT"},
		{"a.py", "count", "", "var count"},
		{"a.py", "count", "func", "nothing"},
		{"a.py", "decorator", "", "func area"},
		{"a.py", "inner", "", "func area.inner"},
		{"a.py", "innerbody", "", "func area.inner"},
		{"a.py", "area", "", "func area"},
		{"a.py", "area", "method", "nothing"},
		{"a.py", "lambda", "func", "func area"},
		{"a.py", "box", "", "type Box"},
		{"a.py", "size", "", "field Box.size"},
		{"a.py", "prop", "func", "method Box.width"},
		{"a.py", "width", "", "method Box.width"},
		{"a.py", "width", "type", "type Box"},
		{"a.py", "body", "", "method Box.Lid.open"},
		{"a.py", "body", "type", "type Box.Lid"},
		{"a.ts", "import", "", "nothing"},
		{"a.ts", "limit", "", "const LIMIT"},
		{"a.ts", "comment", "func", "func twice"},
		{"a.ts", "twicebody", "", "func twice"},
		{"a.ts", "half", "", "func half"},
		{"a.ts", "k", "", "func half"},
		{"a.ts", "map", "func", "func half"},
		{"a.ts", "box", "", "type Box"},
		{"a.ts", "size", "", "field Box.size"},
		{"a.ts", "static", "", "type Box"},
		{"a.ts", "deco", "", "method Box.open"},
		{"a.ts", "body", "", "method Box.open"},
		{"a.ts", "literal", "func", "declined"},
		{"a.ts", "clickbody", "func", "method Box.onClick"},
		{"a.ts", "sig", "", "method Shape.area"},
		{"a.ts", "sig", "type", "type Shape"},
		{"a.ts", "prop", "field", "field Shape.name"},
		{"a.ts", "pair", "type", "type Pair"},
		{"a.ts", "run", "func", "declined"},
		{"a.ts", "two", "", "nothing"},
	} {
		l, src := Python(), enclosedPython
		if strings.HasSuffix(c.file, ".ts") {
			l, src = TypeScript(), enclosedTS
		}
		line := 0
		for i, s := range strings.Split(src, "\n") {
			if strings.HasSuffix(s, "#"+c.mark) || strings.HasSuffix(s, "//"+c.mark) {
				line = i + 1
			}
			if c.mark == "comment" && strings.HasPrefix(s, "/** Doubles") {
				line = i + 1
			}
		}
		symbol, kind, ok, err := l.(refactor.Encloser).Enclosing(context.Background(), oneFile{c.file, src},
			refactor.Target{File: c.file, From: line, To: line}, c.kind)
		got := kind + " " + symbol
		if _, isDeclined := err.(*refactor.Declined); isDeclined {
			got = "declined"
		} else if err != nil {
			t.Fatal(err)
		} else if !ok {
			got = "nothing"
		}
		if line == 0 || got != c.want {
			t.Errorf("%s %s (line %d) %q: %s, want %s (%v)", c.file, c.mark, line, c.kind, got, c.want, err)
		}
	}
}
