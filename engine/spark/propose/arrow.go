package propose

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/words"
	"waferpair/engine/spark/linear"
	"waferpair/engine/spark/link"
)

var (
	arrows   = words.Set("-> => → ⇒")
	inOrOf   = words.Set("in of")
	callKind = []link.Kind{link.Func, link.Method, link.Type}
)

// arrow understands the shortest way to ask for a renaming, which the voices take for many things:
// "fmtDate -> formatDate", "k => key in dedupe". The new name must be no function's or type's,
// because calls are replaced in that way, too.
func (r reader) arrow(units []link.Unit) (Understanding, bool) {
	for len(units) > 0 && units[len(units)-1].Kind == link.Sign && strings.Contains(".!", units[len(units)-1].Text) {
		units = units[:len(units)-1]
	}
	if len(units) != 3 && (len(units) != 5 || !inOrOf[strings.ToLower(units[3].Text)]) || !arrows[units[1].Text] {
		return Understanding{}, false
	}
	old, fresh := units[0], units[2]
	if len(old.Symbols) == 0 || old.Match != link.Exact && old.Match != link.Perhaps ||
		!nameAt.MatchString(fresh.Text) || slices.Contains(callKind, fresh.Kind) {
		return Understanding{}, false
	}
	c := clause{reader: r, op: "rename", units: units, labels: []string{"symbol", "", "to"}, args: map[string]string{},
		target: r.target}
	if len(units) == 5 {
		label := "owner"
		if len(units[4].Files) > 0 {
			label = "file"
		} else if len(units[4].Symbols) == 0 {
			return Understanding{}, false
		}
		c.labels = append(c.labels, "", label)
	}
	for i, l := range c.labels {
		if l == "" {
			c.labels[i] = linear.None
		}
	}
	found := c.fill(nil)
	if len(found) == 0 {
		return Understanding{}, false
	}
	for i := range found {
		found[i].Program[0].Args["to"] = fresh.Text
	}
	return Understanding{Request: r.request, Proposals: found, Agreed: true, Least: 1}, true
}
