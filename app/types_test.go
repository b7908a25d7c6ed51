package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/engine/model"
	"waferpair/engine/refactor/typecheck"
)

// TestTypesAreChecked: after an edit by the built-in model TypeScript judges the project. What it
// accepts stays; what brings an error is reverted, and the error is named.
func TestTypesAreChecked(t *testing.T) {
	modules, err := filepath.Abs("../frontend/node_modules/typescript")
	if err == nil {
		modules, err = filepath.EvalSymlinks(modules)
	}
	if says, ok := typecheck.Available(); !ok || err != nil {
		t.Skip("no TypeScript here: ", says, err)
	}
	defer func(was time.Duration) { typecheck.Limit = was }(typecheck.Limit)
	typecheck.Limit = 2 * time.Minute
	cart := "export class Cart {\n  total(rate: number): number {\n    return rate\n  }\n  size(): number {\n    return 1\n  }\n}\n"
	show := "import { Cart } from './cart'\n\nconst key: keyof Cart = 'total'\nexport const shown = key + String(new Cart().total(1) + new Cart().size())\n"
	w := newWorld(t, map[string]string{"src/cart.ts": cart, "src/show.ts": show,
		"tsconfig.json": `{"compilerOptions": {"strict": true, "lib": ["ES5"], "types": [], "moduleResolution": "bundler"}, "include": ["src"]}`})
	w.ok(os.Mkdir(filepath.Join(w.dir, "node_modules"), 0o755))
	w.ok(os.Symlink(modules, filepath.Join(w.dir, "node_modules", "typescript")))
	p := w.open()
	ask := func(request string) engine.Outcome {
		turn, err := p.Edit(t.Context(), app.EditRequest{Text: request})
		w.ok(err)
		for range turn.Events() {
		}
		return turn.Wait()
	}
	out := ask("rename the method total to sum")
	if out.Status != engine.Declined || out.Code != model.Types || len(out.Edits) == 0 || len(out.Files) > 0 ||
		!strings.Contains(out.Message, "src/show.ts:3: Type '\"total\"' is not assignable to type 'keyof Cart'. (TS2322)") {
		t.Errorf("%+v", out)
	}
	w.is(w.disk("src/cart.ts")+w.disk("src/show.ts"), cart+show)
	if out = ask("rename the method size to length"); out.Status != engine.Completed ||
		!strings.Contains(out.Said, "Types checked: 2 files, by TypeScript") {
		t.Errorf("%+v", out)
	}
	w.is(w.disk("src/cart.ts"), strings.Replace(cart, "size", "length", 1))
}
