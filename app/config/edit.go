package config

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

const providersKey = "model_providers"

// byteOrderMark is what some editors write before the first line.
const byteOrderMark = "\ufeff"

// withKeyring returns a file in which a provider's key is in the keyring.
func withKeyring(path string, body []byte, name string) ([]byte, error) {
	before, err := decodeFile(path, body)
	if err != nil {
		return nil, err
	}
	table, is := providersOf(before)[name].(map[string]any)
	if !is {
		return nil, &UnknownError{Name: name, Path: path, Known: names(providersOf(before))}
	}
	all, err := statements(body)
	if err != nil {
		return nil, err
	}
	out := body
	line := "keyring = true" + newline(body)
	for _, s := range slices.Backward(all) {
		switch old := len(s.path) == 3 && ofProvider(s, name) && s.path[2] == "keyring"; {
		case old && !s.header:
			out = slices.Concat(out[:s.start], out[s.end:])
		case s.header && len(s.path) == 2 && ofProvider(s, name):
			from := s.end
			if out[from-1] != '\n' {
				line = newline(body) + line
			}
			out = slices.Concat(out[:from], []byte(line), out[from:])
		}
	}
	want := maps.Clone(table)
	want["keyring"] = true
	return out, verify(path, before, out, name, want)
}

// added returns a file with the table of a provider more, at its end.
func added(path string, body []byte, p Provider) ([]byte, error) {
	if err := Check(p); err != nil {
		return nil, err
	}
	before, err := decodeFile(path, body)
	if err != nil {
		return nil, err
	}
	for name := range providersOf(before) {
		if strings.EqualFold(name, p.Name) {
			return nil, &TakenError{Name: name, Path: path}
		}
	}
	text := tableOf(p)
	if crlf(body) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	out := bytes.Clone(body)
	if len(out) > 0 {
		if out[len(out)-1] != '\n' {
			out = append(out, newline(body)...)
		}
		out = append(out, newline(body)...)
	}
	out = append(out, text...)
	var only map[string]any
	if err := toml.Unmarshal([]byte(text), &only); err != nil {
		return nil, fmt.Errorf("write the table of %s: %w", p.Name, err)
	}
	return out, verify(path, before, out, p.Name, providersOf(only)[p.Name])
}

// removed returns a file without the tables of a provider. An empty line before each of them goes
// with it, so that adding and removing leave the file as it was.
func removed(path string, body []byte, name string) ([]byte, error) {
	before, err := decodeFile(path, body)
	if err != nil {
		return nil, err
	}
	if _, is := providersOf(before)[name]; !is {
		return nil, &UnknownError{Name: name, Path: path, Known: names(providersOf(before))}
	}
	all, err := statements(body)
	if err != nil {
		return nil, err
	}
	var out []byte
	from := 0
	for i := 0; i < len(all); i++ {
		if !ofProvider(all[i], name) {
			continue
		}
		start := all[i].start
		for i+1 < len(all) && ofProvider(all[i+1], name) && // and what is between belongs to the provider
			(!all[i+1].header || onlySpace(body[all[i].end:all[i+1].start])) {
			i++
		}
		if all[i].header || start > from {
			start = withoutEmptyLine(body, from, start)
		}
		out = append(out, body[from:start]...)
		from = all[i].end
	}
	out = append(out, body[from:]...)
	return out, verify(path, before, out, name, nil)
}

func ofProvider(s statement, name string) bool {
	return len(s.path) >= 2 && s.path[0] == providersKey && s.path[1] == name
}

func onlySpace(b []byte) bool { return len(bytes.TrimSpace(b)) == 0 }

// withoutEmptyLine returns where an empty line before start begins, or start.
func withoutEmptyLine(body []byte, from, start int) int {
	line := bytes.TrimSuffix(body[from:start], []byte("\n"))
	if len(line) == start-from {
		return start
	}
	begin := from + bytes.LastIndexByte(line, '\n') + 1
	if onlySpace(body[begin:start]) {
		return begin
	}
	return start
}

// verify checks that a change of a file changed the one provider only.
func verify(path string, before map[string]any, after []byte, name string, want any) error {
	byHand := fmt.Errorf("change %s: the table of %s cannot be changed without changing others; edit the file yourself",
		path, name)
	got, err := decode(after)
	if err != nil {
		return fmt.Errorf("%w (%w)", byHand, err)
	}
	old, cur := providersOf(before), providersOf(got)
	if !reflect.DeepEqual(cur[name], want) {
		return byHand
	}
	delete(old, name)
	delete(cur, name)
	prune(before)
	prune(got)
	if !reflect.DeepEqual(before, got) {
		return byHand
	}
	return nil
}

// prune removes the table of providers if it is empty: it makes no difference.
func prune(all map[string]any) {
	if len(providersOf(all)) == 0 {
		delete(all, providersKey)
	}
}

func providersOf(all map[string]any) map[string]any {
	of, _ := all[providersKey].(map[string]any)
	return of
}

func decodeFile(path string, body []byte) (map[string]any, error) {
	all, err := decode(body)
	if err != nil {
		return nil, *problemOf(path, body, err)
	}
	if all == nil {
		all = map[string]any{}
	}
	if v, is := all[providersKey]; is {
		if _, is := v.(map[string]any); !is {
			return nil, fmt.Errorf("%s: model_providers is no table; write [model_providers.NAME]", path)
		}
	}
	return all, nil
}

func names(of map[string]any) []string {
	var out []string
	for name := range of {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func crlf(body []byte) bool { return bytes.Contains(body, []byte("\r\n")) }

func newline(body []byte) string {
	if crlf(body) {
		return "\r\n"
	}
	return "\n"
}

// UnknownError says that there is no provider of a name.
type UnknownError struct {
	Name, Path string
	Known      []string
}

func (e *UnknownError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("no provider is called %q: %s has none; add one with 'waferpair models add'", e.Name, e.Path)
	}
	return fmt.Sprintf("no provider is called %q in %s; there are: %s", e.Name, e.Path, strings.Join(e.Known, ", "))
}

// TakenError says that a provider of a name, in this or another case, is there already.
type TakenError struct{ Name, Path string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("there is a provider %q already in %s; choose another name, or remove it first: "+
		"waferpair models remove %s", e.Name, e.Path, e.Name)
}
