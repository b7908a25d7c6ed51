package query

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/languages"
)

// Symbol is something that a file declares.
type Symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"` // func, method, type, field, var, const, heading
	Container string `json:"container"`
	Path      string `json:"path"`
	Line      int    `json:"line"` // from 1
	EndLine   int    `json:"endLine"`

	params string // of a function: the names of its parameters, with commas between them
}

// Params are the names of a function's parameters.
func (s Symbol) Params() []string {
	if s.params == "" {
		return nil
	}
	return strings.Split(s.params, ",")
}

// outliners list declarations with a parser of their language.
var outliners = languages.All()

// rule recognizes one kind of declaration by its line alone.
type rule struct {
	kind string
	line *regexp.Regexp // the name is its last group
}

func rules(pairs ...string) (out []rule) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, rule{pairs[i], regexp.MustCompile(pairs[i+1])})
	}
	return out
}

var (
	headings  = rules("heading", `^(#{1,6})[ \t]+(.+?)[ \t]*#*$`)
	rustRules = rules(
		"func", `^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+|const\s+|async\s+|unsafe\s+|extern\s+"[^"]*"\s+)*fn\s+(\w+)`,
		"type", `^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union|type|mod)\s+(\w+)`,
		"const", `^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+(?:mut\s+)?(\w+)\s*:`,
		"func", `^\s*macro_rules!\s*(\w+)`)
	javaRules = rules(
		"type", `^\s*(?:@\w+\s+)*(?:(?:public|protected|private|internal|static|final|abstract|sealed|partial|open|data|inner|export|strictfp|readonly)\s+)*(?:class|interface|enum|record|struct|object|@interface)\s+(\w+)`,
		"func", `^\s*(?:(?:public|protected|private|internal|override|suspend|inline|open|abstract|operator|static|final)\s+)*fun\s+(?:<[^>]*>\s*)?(?:\w+\.)?(\w+)\s*\(`,
		"method", `^\s*(?:(?:public|protected|private|internal|static|final|abstract|virtual|override|async|synchronized|native|default|sealed|extern|unsafe)\s+)+[\w<>\[\],.?]+(?:\s+[\w<>\[\],.?]+)?\s+(\w+)\s*\(`)
	cRules = rules(
		"type", `^(?:typedef\s+)?(?:struct|union|enum|class|enum class|namespace)\s+(\w+)\s*(?:final\s*)?(?::[^:;]*)?\{?\s*$`,
		"const", `^#\s*define\s+(\w+)`,
		"func", `^[A-Za-z_][\w\s*&<>,:~]*?[\s*&]((?:\w+::)*~?\w+)\s*\([^;]*$`)
	rubyRules = rules("method", `^\s*def\s+(?:self\.)?([\w?!=]+)`, "type", `^\s*(?:class|module)\s+([\w:]+)`)
	phpRules  = rules("type", `^\s*(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+(\w+)`,
		"func", `^\s*(?:(?:public|protected|private|static|abstract|final)\s+)*function\s+&?(\w+)`)
	shellRules = rules("func", `^\s*(?:function\s+)?([\w:.-]+)\s*\(\)`, "func", `^\s*function\s+([\w:.-]+)`)
	luaRules   = rules("func", `^\s*(?:local\s+)?function\s+([\w.:]+)`)
	swiftRules = rules("func", `^\s*(?:@\w+\s+)*(?:(?:public|private|internal|open|static|class|override|mutating|final|fileprivate)\s+)*func\s+(\w+)`,
		"type", `^\s*(?:@\w+\s+)*(?:(?:public|private|internal|open|final|indirect|fileprivate)\s+)*(?:class|struct|enum|protocol|extension|actor)\s+([\w.]+)`)
	protoRules = rules("type", `^\s*(?:message|enum|service)\s+(\w+)`, "method", `^\s*rpc\s+(\w+)`)
	sqlRules   = rules("type", `(?i)^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+)?(?:table|view|materialized view|type)\s+(?:if\s+not\s+exists\s+)?([\w."]+)`,
		"func", `(?i)^\s*create\s+(?:or\s+replace\s+)?(?:function|procedure|trigger)\s+([\w."]+)`)
	makeRules = rules("func", `^([\w./-]+(?:\s+[\w./-]+)*)\s*:(?:[^=]|$)`)
)

var linewise = map[string][]rule{
	".md": headings, ".markdown": headings, ".rs": rustRules,
	".java": javaRules, ".cs": javaRules, ".kt": javaRules, ".kts": javaRules, ".scala": javaRules,
	".c": cRules, ".h": cRules, ".cc": cRules, ".cpp": cRules, ".cxx": cRules, ".hpp": cRules, ".hh": cRules,
	".rb": rubyRules, ".php": phpRules, ".sh": shellRules, ".bash": shellRules, ".lua": luaRules, ".swift": swiftRules,
	".proto": protoRules, ".sql": sqlRules, ".mk": makeRules, "makefile": makeRules,
}

func linewiseRules(name string) []rule {
	base := strings.ToLower(path.Base(name))
	if r := linewise[base]; r != nil {
		return r
	}
	return linewise[path.Ext(base)]
}

func outliner(name string) refactor.Outliner {
	for _, l := range outliners {
		if o, ok := l.(refactor.Outliner); ok && l.Handles(name) {
			return o
		}
	}
	return nil
}

// hasOutline reports whether the language of a file has a parser or rules.
func hasOutline(name string) bool { return outliner(name) != nil || linewiseRules(name) != nil }

// outline lists the declarations of a file in the order of the file. It parses the
// languages that the built-in model edits, and matches the lines of others against rules,
// as ctags does.
func outline(name string, src []byte) ([]Symbol, error) {
	o := outliner(name)
	if o == nil {
		return outlineByLines(name, src), nil
	}
	list, err := o.Outline(name, src)
	if err != nil {
		return nil, err
	}
	out := make([]Symbol, len(list))
	for i, d := range list {
		out[i] = Symbol{Name: d.Name, Kind: d.Kind, Container: d.Container, Path: name, Line: d.Line, EndLine: d.EndLine,
			params: strings.Join(d.Params, ",")}
	}
	return out, nil
}

// maxRuleLine is the length of the longest line that may be a declaration; longer lines are
// data.
const maxRuleLine = 500

func outlineByLines(name string, src []byte) []Symbol {
	rules := linewiseRules(name)
	if rules == nil {
		return nil
	}
	var out []Symbol
	fenced := false // in a code block of Markdown, where # starts a comment
	for n := 1; len(src) > 0; n++ {
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		src = rest
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("```")) {
			fenced = !fenced
		}
		if fenced || len(line) > maxRuleLine {
			continue
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		for _, r := range rules {
			if m := r.line.FindSubmatch(line); m != nil {
				if s := string(m[len(m)-1]); !statement[s] {
					out = append(out, Symbol{Name: s, Kind: r.kind, Path: name, Line: n, EndLine: n})
				}
				break
			}
		}
	}
	return out
}

// statement holds keywords in the place where a declaration has its name, as in "else if
// (x) {".
var statement = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "return": true, "else": true,
	"catch": true, "sizeof": true, "do": true, "new": true}
