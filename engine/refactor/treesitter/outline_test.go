package treesitter

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"waferpair/engine/refactor"
)

func checkOutline(t *testing.T, l refactor.Language, path, src, want string) {
	t.Helper()
	list, err := l.(refactor.Outliner).Outline(path, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s %s|%s %d-%d\n", d.Kind, d.Container, d.Name, d.Line, d.EndLine)
	}
	if b.String() != want {
		t.Fatalf("%s: got\n%s\nwant\n%s", path, b.String(), want)
	}
}

func TestOutlineOfPython(t *testing.T) {
	checkOutline(t, Python(), "a.py", `LIMIT = 5

class Shop(Base):
    open = True

    def sell(self, what):
        def price():
            return 1
        return price()

def main():
    pass
`, `const |LIMIT 1-1
type |Shop 3-9
field Shop|open 4-4
method Shop|sell 6-9
func Shop.sell|price 7-8
func |main 11-12
`)
}

func TestOutlineOfTypeScript(t *testing.T) {
	checkOutline(t, TypeScript(), "a.ts", `export interface Shape {
  area(): number
}

export class Circle implements Shape {
  radius = 1
  area(): number {
    return 3
  }
}

export const scale = (x: number) => x * 2
`, `type |Shape 1-3
method Shape|area 2-2
type |Circle 5-10
field Circle|radius 6-6
method Circle|area 7-9
func |scale 12-12
`)
}

func TestOutlineOfABrokenFileHasWhatCouldBeRead(t *testing.T) {
	checkOutline(t, Python(), "a.py", "def ok():\n    pass\n\ndef (\n", "func |ok 1-2\n")
}

func TestOutlineOfJava(t *testing.T) {
	src, err := os.ReadFile("testdata/Sample.java")
	if err != nil {
		t.Fatal(err)
	}
	checkOutline(t, Java(), "Shelf.java", string(src), `type |Shelf 7-42
const Shelf|LIMIT 8-8
field Shelf|items 9-9
method Shelf|Shelf 11-13
method Shelf|iterator 16-18
method Shelf|count 20-29
field Shelf|size 31-31
type Shelf|Pair 33-37
field Shelf.Pair|a 33-33
field Shelf.Pair|b 33-33
type Shelf|Kind 39-39
const Shelf.Kind|WIDE 39-39
const Shelf.Kind|DEEP 39-39
type Shelf|Sort 41-41
`)
	list, err := Java().(refactor.Outliner).Outline("Shelf.java", src)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(list[5].Params, " "); got != "of names" {
		t.Fatalf("count takes %q", got)
	}
}
