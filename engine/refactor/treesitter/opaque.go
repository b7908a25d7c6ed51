package treesitter

import "waferpair/engine/refactor/kit"

// Opaque implements the hook of inline: code in a function, or in one inside it, that reads or
// sets variables without naming them.
func (s syntax) Opaque(f *kit.File, fn *kit.Node) *kit.Node {
	u := f.Raw.(*unit)
	for _, n := range u.strange {
		if n.within(rawOf(fn)) && !(pythonFile(u.path) && len(n.text()) > 4 && n.text()[len(n.text())-4:] == "attr") {
			return f.Of(n)
		}
	}
	var found *kit.Node
	if !pythonFile(u.path) {
		fn.Walk(func(n *kit.Node) bool {
			if n.Is(kit.Name) && f.Text(n) == "arguments" && u.byNode[rawOf(n)] != nil && u.byNode[rawOf(n)].b == nil {
				found = n
			}
			return found == nil
		})
	}
	return found
}
