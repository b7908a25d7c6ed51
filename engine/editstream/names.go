package editstream

import (
	"path"
	"regexp"
	"strings"
)

// Which words above a fence name the file that the fence holds. A whole file has no marker of its own,
// so words that only look like a path must not become a file:
//
//	fmt.Println, List.Front(), np.sum   a name of code: no file has such an extension
//	example.com, v1.2.3, e.g., And/Or   neither
//	/api/users, bin/tool                no extension: a route, or a command above its output
//	Node.js, ASP.NET                    products
//	main.go:12                          a place
//
// A label, as in "File: LICENSE.de", or the fence itself, as in "```go file=x", says that a name is one.

// extensions are those of files that models write. Names of code that often stand above an example,
// such as console.log, process.env and np.sum, have none of them.
var extensions = wordSet(`adb adoc ads asm astro awk bash bat bazel bib bzl c cairo cbl cc cfg cjs cl clj cljs cmake
	cmd coffee conf cpp cql cr cs csproj css csv cts cu cuh cxx d dart dockerfile edn ejs el elm erb erl ex exs f90 fish
	fs fsx gd glsl go gql gradle graphql groovy h haml hbs hcl hh hpp hrl hs htm html hxx ini ipynb java jinja jl js json
	json5 jsonc jsonl jsx kt kts less lhs lisp lua m markdown md mdx mjs mk ml mli mm mod mts nim nix nu pas php pl plist pm po pp
	prisma properties proto ps1 psm1 pug py pyi pyx qml r rake rb rego rkt rs rst rules s sass sbt scala scm scss service
	sh sln sol sql strings styl sv svelte svg swift t tcl tex tf tfvars thrift tmpl toml tpl ts tsv tsx txt v vala vb vhd
	vhdl vim vue wat work wsdl xaml xhtml xml xsd xsl xslt yaml yml zig zsh`)

// products are names of software that end like files.
var products = wordSet(`Node.js Vue.js Next.js Nuxt.js Express.js React.js Angular.js Three.js D3.js Chart.js Ember.js
	Backbone.js Moment.js Require.js Alpine.js Socket.io Nest.js Day.js Discord.js Electron.js P5.js`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

var folderFile = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_+-]*\.[a-z][a-z0-9]{0,9}$`)

// namesFile reports whether a path above a fence is the name of a file, and no other word.
func namesFile(name string) bool {
	base := path.Base(name)
	dot := strings.LastIndexByte(base, '.')
	switch {
	case strings.ContainsAny(name, ":()[]{}=;,&$") || products[name]:
		return false
	case bareNames[base]:
		return true
	case strings.Contains(name, " "): // a sentence in quotes, or a method and its route
		return dot > 0 && extensions[base[dot+1:]] && !strings.Contains(name, " /")
	case dot == 0:
		return len(base) > 2
	case dot < 0:
		return false
	case extensions[base[dot+1:]], base[dot:] == ".R", base[dot:] == ".S", base == "go.sum":
		return true
	}
	return strings.Contains(name, "/") && folderFile.MatchString(base)
}

// fileLine reads a line above a fence that names the file which the fence holds.
func fileLine(line string) (string, bool) {
	name, quoted, labelled := named(line)
	if bullet.MatchString(line) || !looksLikePath(name, quoted) || !labelled && !namesFile(name) {
		return "", false
	}
	return name, true
}

// bullet begins an item of a list: what stands below it is mostly an excerpt.
var bullet = regexp.MustCompile(`^\s*[-*+] `)

// shells are the fences of commands, and of what they print.
var shells = wordSet("sh bash shell zsh console shell-session shellsession terminal output powershell ps1 cmd bat")

// scripted are the kinds of files whose content may stand in a shell's fence.
var scripted = wordSet("sh bash zsh fish ksh bats ps1 psm1 cmd bat conf cfg ini properties service toml yml yaml")

// commands reports whether a fence below the name of a file has commands that use it, and not its content.
func commands(name, info string) bool {
	lang, _, _ := strings.Cut(strings.ToLower(info), " ")
	base := path.Base(name)
	return shells[lang] && !strings.HasPrefix(base, ".") && !scripted[strings.TrimPrefix(path.Ext(base), ".")]
}

// prompted reports whether a line is that of a terminal.
func prompted(line string) bool { return strings.HasPrefix(line, "$ ") }

// exampleWords are those with which a model announces code that it only shows.
var exampleWords = regexp.MustCompile(`(?i)\b(for example|for instance|e\.g\.|as an example|usage example|` +
	`example (usage|use)|you (could|might) |(could|might|would) (then )?(look|be) )|^[#*\s]*(example|usage)s?[:*\s]*$`)

// callsExample reports whether the words before the line of pending that announces a whole file say that it
// is an example.
func (p *blocks) callsExample(announced int) bool {
	words := p.said
	for _, l := range p.pending[:announced] {
		if text := strings.TrimSpace(l.text); text != "" {
			words = text
		}
	}
	return exampleWords.MatchString(words)
}

var quotedWord = regexp.MustCompile("`([^`\n]+)`")

// pathIn returns the one file that a sentence names, or "".
func pathIn(sentence string) (name string) {
	var words []string
	for _, m := range quotedWord.FindAllStringSubmatch(sentence, -1) {
		words = append(words, m[1])
	}
	if len(words) == 0 {
		words = strings.Fields(sentence)
	}
	for _, w := range words {
		w = strings.Trim(strings.Trim(w, ",:;()\"'*"), ".")
		if !looksLikePath(w, false) || !namesFile(w) || w == name {
			continue
		}
		if name != "" {
			return ""
		}
		name = w
	}
	return name
}

// allOfIt matches a sentence that announces all of a file.
var allOfIt = regexp.MustCompile(`(?i)\b(complete|full|entire|whole)\b.*:\**$`)

// newContent matches words that say that what follows is how the file is to be, aside from those of allOfIt.
var newContent = regexp.MustCompile(
	`(?i)\b(complete|full|entire|whole|new|updat|wr[io]t|replac|chang|fix|becomes?\b|now\b)`)

// isBare reports whether line k of pending names a file, and neither it nor the words before it say that
// the fence below has all of it.
func (p *blocks) isBare(k int) bool {
	line := p.pending[k].text
	if _, _, labelled := named(line); labelled || newContent.MatchString(line) {
		return false
	}
	words := p.said
	for _, l := range p.pending[:k] {
		if text := strings.TrimSpace(l.text); text != "" {
			words = text
		}
	}
	return !newContent.MatchString(words)
}

// announcesAll returns the file that the last words before a fence say is all in it, or "".
func (p *blocks) announcesAll() string {
	if !allOfIt.MatchString(p.said) || strings.Contains(strings.ToLower(p.said), "example") {
		return ""
	}
	return pathIn(p.said)
}

// commentPath matches the first line of a block that is a comment with a path.
var commentPath = regexp.MustCompile(`^(?://|#|--|;|<!--|/\*) *(?i:file(?:name)?: *|path: *)?(\S+?)(?: *-->| *\*/)?$`)

// labelOf returns the file that the first line of a block names in a comment, or "".
func labelOf(line string) string {
	m := commentPath.FindStringSubmatch(strings.TrimSpace(line))
	if m == nil || !looksLikePath(m[1], false) || !namesFile(m[1]) {
		return ""
	}
	return m[1]
}
