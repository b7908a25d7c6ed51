package text_test

import (
	"fmt"

	"waferpair/workspace/text"
)

// The user types while a model's edit is on its way. Each side maps the other's
// change over its own, and both hold the same text.
func ExampleChangeSet_Map() {
	doc := text.OfString("func f() {}\n")
	user, _ := text.NewChangeSet(doc.Len(), text.Change{From: 0, To: 0, Insert: "// f does it.\n"})
	model, _ := text.NewChangeSet(doc.Len(), text.Change{From: 5, To: 6, Insert: "run"})

	late, _ := model.Map(user, false)
	here, _ := user.Apply(doc)
	here, _ = late.Apply(here)

	early, _ := user.Map(model, true)
	there, _ := model.Apply(doc)
	there, _ = early.Apply(there)

	fmt.Print(here)
	fmt.Println(here.Equal(there), user.Overlaps(model))
	// Output:
	// // f does it.
	// func run() {}
	// true false
}
