package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"waferpair/app/parts"
	"waferpair/app/server"
)

// protocol.ts follows from the types (a test of build/tstypes), but not that what is
// sent is as it says: a nil slice is null where the page has a list, and a word that
// comes from the history, say, may be none that the page knows. So every message and
// answer that a test of this package gets is checked here.

func validate[T any](t testing.TB, data []byte) {
	t.Helper()
	validateAs(t, reflect.TypeFor[T](), data)
}

// validateAnswer checks what a command ("Commands") or read ("Reads") answers.
func validateAnswer(t testing.TB, which, name string, data []byte) {
	t.Helper()
	validateAs(t, server.AnswerOf(which, name), data)
}

func validateAs(t testing.TB, as reflect.Type, data []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Errorf("%s: %v in %.200s", as, err, data)
		return
	}
	if err := fits(as, v); err != nil {
		t.Errorf("%s: %v\n%.600s", as, err, data)
	}
}

// fits says what of a JSON value is not of a type.
func fits(t reflect.Type, v any) error {
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	var ok bool
	switch t.Kind() {
	case reflect.Bool:
		_, ok = v.(bool)
	case reflect.Int, reflect.Int8, reflect.Int32, reflect.Int64, reflect.Float64:
		_, ok = v.(float64)
	case reflect.String:
		return isWord(t.Name(), v)
	case reflect.Pointer:
		if v == nil {
			return nil
		}
		return fits(t.Elem(), v)
	case reflect.Interface:
		return isOneOf(t, v)
	case reflect.Slice:
		return eachFits(t.Elem(), v)
	case reflect.Struct:
		return hasFields(t, v)
	}
	if !ok {
		return fmt.Errorf("%.80v is no %s", v, t)
	}
	return nil
}

func eachFits(t reflect.Type, v any) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("%.80v is no list", v)
	}
	for i, one := range list {
		if err := fits(t, one); err != nil {
			return fmt.Errorf("[%d]: %w", i, err)
		}
	}
	return nil
}

func isOneOf(t reflect.Type, v any) error {
	if t.NumMethod() == 0 {
		return nil
	}
	var errs []string
	for _, member := range server.Unions[t] {
		err := fits(member, v)
		if err == nil {
			return nil
		}
		errs = append(errs, err.Error())
	}
	return fmt.Errorf("none of: %s", strings.Join(errs, " / "))
}

func hasFields(t reflect.Type, v any) error {
	o, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%.80v is no object", v)
	}
	known := 0
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous { // VisibleFields has the fields of an embedded struct, too
			continue
		}
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		one, there := o[name]
		word, fixed := f.Tag.Lookup("is")
		if there {
			known++
		}
		var err error
		switch {
		case !there && opts != "omitempty":
			return fmt.Errorf("%s is missing", name)
		case !there, one == "" && f.Tag.Get("or") == "''":
		case fixed && one != word:
			return fmt.Errorf("%s is %.80v, not %s", name, one, word)
		default:
			err = fits(f.Type, one)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if known < len(o) {
		return fmt.Errorf("there are %d fields that %s does not have", len(o)-known, t)
	}
	return nil
}

var protocol = sync.OnceValues(func() (string, error) {
	b, err := os.ReadFile("../../frontend/src/protocol.ts")
	return string(b), err
})

var words = regexp.MustCompile(`(?m)^ *\|? ?'([^']*)'`)

// isWord: where the page has a type of this name, v is one of its words.
func isWord(name string, v any) error {
	s, ok := v.(string)
	if !ok {
		return fmt.Errorf("%.80v is no string", v)
	}
	ts, err := protocol()
	if err != nil {
		return err
	}
	_, decl, there := strings.Cut(ts, "\nexport type "+name+" =")
	if !there {
		return nil
	}
	decl, _, _ = strings.Cut(decl, "\n\n")
	known := words.FindAllString(strings.ReplaceAll(decl, "|", "\n|"), -1)
	quoted := "'" + strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(s) + "'"
	if !slices.ContainsFunc(known, func(k string) bool { return strings.TrimLeft(k, " |") == quoted }) {
		return fmt.Errorf("%s is none of the words of %s", quoted, name)
	}
	return nil
}

func TestWhatFitsTheProtocol(t *testing.T) {
	for _, c := range []struct {
		as   reflect.Type
		json string
		fits bool
	}{
		{reflect.TypeFor[server.Reply](), `{"type":"reply","re":1,"ok":null}`, true},
		{reflect.TypeFor[server.Reply](), `{"type":"frame","re":1,"ok":null}`, false},
		{reflect.TypeFor[server.Reply](), `{"type":"reply","re":"1","ok":null}`, false},
		{reflect.TypeFor[server.Reply](), `{"type":"reply","ok":null}`, false},
		{reflect.TypeFor[server.Reply](), `{"type":"reply","re":1,"ok":1,"other":2}`, false},
		{reflect.TypeFor[parts.Part](), `{"kind":"prose","text":"x"}`, true},
		{reflect.TypeFor[parts.Part](), `{"kind":"verse","text":"x"}`, false},
		{reflect.TypeFor[server.Notice](), `{"level":"error","text":"x","at":1}`, true},
		{reflect.TypeFor[server.Notice](), `{"level":"loud","text":"x","at":1}`, false},
		{reflect.TypeFor[server.LineEnd](), `"\r\n"`, true},
		{reflect.TypeFor[server.TurnStatus](), `""`, true},
		{reflect.TypeFor[server.TurnStatus](), `"partial"`, false},
		{server.AnswerOf("Reads", "models"), `{"models":null}`, false},
		{server.AnswerOf("Reads", "models"), `{"models":[],"spent":0,"budget":0,"normal":"spark","mistake":""}`, true},
		{server.AnswerOf("Commands", "save"), `null`, true},
	} {
		var v any
		if err := json.Unmarshal([]byte(c.json), &v); err != nil {
			t.Fatal(err)
		}
		if err := fits(c.as, v); (err == nil) != c.fits {
			t.Errorf("%s %s: %v", c.as, c.json, err)
		}
	}
}
