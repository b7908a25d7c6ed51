package prompt

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"math/bits"
	"path"
	"slices"
	"strings"
	"unicode"

	"waferpair/engine/model"
)

// focus is what a request and the open files say about each file of the project. It is made in one
// pass over the files and one over their declarations.
//
//	request ── paths, base names ───────────────> mentioned
//	        ── names of declarations ───────────> mentioned; near
//	        ── words, compared with subwords ───> words in path, in declarations
//	text of the target and of what is mentioned
//	        ── identifiers declared elsewhere ──> near
type focus struct {
	files   []string
	symbols []model.Symbol
	late    bool    // they are not known yet
	first   []int32 // index of each file's first symbol; one more at the end

	words     *words
	about     []about        // of each file
	mentioned []mention      // in the order of the request
	unlisted  []string       // paths in the request that are no files of the project
	weight    []float64      // of each word: rare words say more
	named     map[string]int // identifiers of the request, and their places in it
}

// about is what is known of a file.
type about struct {
	path, decl uint64  // words of the request in its path, and in what it declares
	stem       uint64  // those of its name without the ending, if the request has all of that
	near       float64 // how much of what the request names or the open files use it declares
	place      float64 // its place in the tree, as seen from the target
	aside      float64 // below 1 for files that are seldom the place of a change
	rank       float64
}

// mention is a file that the request names.
type mention struct {
	file   int
	at     int // place in the request
	line   int // 0: it names none
	reason string
}

// ErrLate is what a Source returns that does not know yet what the project declares.
var ErrLate = errors.New("the project's files are still being read for what they declare")

func look(ctx context.Context, r Request) (*focus, error) {
	files, err := r.Files.Files(ctx)
	if err != nil {
		return nil, err
	}
	f := &focus{files: files, words: newWords(r.Text), about: make([]about, len(files)), named: map[string]int{}}
	if s, ok := r.Files.(model.SymbolSource); ok {
		f.symbols, err = s.Symbols(ctx)
		if f.late = errors.Is(err, ErrLate); err != nil && !f.late {
			return nil, err
		}
	}
	f.divide()
	f.mentionPaths(r)
	f.scan(r.Text)
	f.places(r.Target, r.Open)
	return f, nil
}

// index returns the index of a file; false when the project has none of that name.
func (f *focus) index(file string) (int, bool) { return slices.BinarySearch(f.files, file) }

// divide finds each file's declarations. Both lists are in the files' order.
func (f *focus) divide() {
	f.first = make([]int32, len(f.files)+1)
	at := 0
	for i, file := range f.files {
		for at < len(f.symbols) && f.symbols[at].Path < file { // of a file that is not in the list
			at++
		}
		f.first[i] = int32(at)
		for at < len(f.symbols) && f.symbols[at].Path == file {
			at++
		}
	}
	f.first[len(f.files)] = int32(at)
}

// of returns the declarations of a file.
func (f *focus) of(file int) []model.Symbol {
	from := int(f.first[file])
	to := from
	for to < len(f.symbols) && f.symbols[to].Path == f.files[file] {
		to++
	}
	return f.symbols[from:to]
}

// mention adds a file, unless it is mentioned already.
func (f *focus) mention(file, at int, reason string) {
	for i := range f.mentioned {
		if m := &f.mentioned[i]; m.file == file {
			if at < m.at {
				m.at, m.reason = at, reason
			}
			return
		}
	}
	f.mentioned = append(f.mentioned, mention{file: file, at: at, reason: reason})
}

// maxDeclaring is the number of files that declare a name up to which a request that has the name
// means them.
const maxDeclaring = 3

// scan compares the request with all paths and declarations.
func (f *focus) scan(request string) {
	n, quoted := 1000, false  // behind the places of paths
	words := map[string]int{} // with a capital, which may be names
	for i, piece := range strings.Split(request, "`") {
		quoted = i%2 == 1
		at := 0
		identifiers(piece, func(s string) {
			n++
			at += strings.Index(piece[at:], s)
			_, known := f.named[s]
			switch {
			case known || len(s) < 3:
			case isName(s) || quoted || called(piece, s):
				f.named[s] = n
			case unicode.IsUpper(rune(s[0])) && !opens(piece[:at]) && words[s] == 0:
				words[s] = n
			}
			at += len(s)
		})
	}
	f.nameWords(words)
	declaring := map[string][]int{}
	for i, file := range f.files {
		a := &f.about[i]
		a.path, a.stem, a.aside = f.words.in(file), f.words.all(stem(file)), aside(file)
		for _, s := range f.of(i) {
			a.decl |= f.words.in(s.Name)
			if len(f.named) == 0 {
				continue
			}
			if _, is := f.named[s.Name]; is {
				if d := declaring[s.Name]; len(d) == 0 || d[len(d)-1] != i {
					declaring[s.Name] = append(d, i)
				}
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(f.named), func(a, b string) int { return f.named[a] - f.named[b] })
	for _, name := range names {
		list := declaring[name]
		if len(list) > maxDeclaring { // tests often declare the same again
			list = slices.DeleteFunc(slices.Clone(list), func(i int) bool { return f.about[i].aside < 1 })
		}
		for _, i := range list {
			f.about[i].near += 8 / float64(len(list))
			if len(list) <= maxDeclaring {
				f.mention(i, f.named[name], "it declares "+name)
			}
		}
	}
	slices.SortFunc(f.mentioned, func(a, b mention) int { return cmp.Or(a.at-b.at, a.file-b.file) })
	f.weigh()
}

// nameWords adds the words of a sentence that the project declares as they are, as in "make the Cache
// evict the oldest entry".
func (f *focus) nameWords(words map[string]int) {
	if len(words) == 0 {
		return
	}
	for _, s := range f.symbols {
		if n := words[s.Name]; n > 0 && s.Kind != "field" {
			f.named[s.Name] = n
		}
	}
}

// opens reports whether what follows a text is the first word of a sentence, which has a capital anyway.
func opens(before string) bool {
	before = strings.TrimRight(before, " \t\"'*(#-")
	return before == "" || strings.ContainsAny(before[len(before)-1:], ".!?:\n\r")
}

// called reports whether a text has a name with an argument list, or with an owner.
func called(text, name string) bool {
	at := strings.Index(text, name)
	end := at + len(name)
	return end < len(text) && text[end] == '(' || at > 0 && text[at-1] == '.' && at > 1 && isLetter(text[at-2])
}

// weigh computes how much each word of the request says.
func (f *focus) weigh() {
	in := make([]int, len(f.words.list))
	for _, a := range f.about {
		for set := a.path | a.decl; set != 0; set &= set - 1 {
			in[bits.TrailingZeros64(set)]++
		}
	}
	f.weight = make([]float64, len(in))
	for w, n := range in {
		if n > 0 {
			f.weight[w] = math.Log(1 + float64(len(f.files))/float64(n))
		}
	}
}

// fits returns how well a file fits to the words of the request. A file that declares much has many words by
// chance.
func (f *focus) fits(file int) (score float64) {
	a := f.about[file]
	much := min(float64(f.first[file+1]-f.first[file])*float64(len(f.files))/float64(len(f.symbols)+1), 4)
	declared := 1 / (0.7 + 0.3*much)
	for set := a.path | a.decl; set != 0; set &= set - 1 {
		w := bits.TrailingZeros64(set)
		score += f.weight[w] * (1.5*float64(a.path>>w&1) + float64(a.stem>>w&1) + declared*float64(a.decl>>w&1))
	}
	return score
}

// covers returns the share of what the request's words say that a set of them says, from 0 to 1.
func (f *focus) covers(words uint64) float64 {
	said, all := 0.0, 0.0
	for w, weight := range f.weight {
		all += weight
		if words&(1<<w) != 0 {
			said += weight
		}
	}
	if all == 0 {
		return 0
	}
	return said / all
}

// places scores the files by their place in the tree.
func (f *focus) places(target model.Target, open []string) {
	dir := path.Dir(target.File)
	for i, file := range f.files {
		a := &f.about[i]
		if d := path.Dir(file); target.File != "" {
			switch {
			case file == target.File:
				a.place += 10
			case d == dir:
				a.place += 2
			case strings.HasPrefix(d, dir+"/") && dir != ".", path.Dir(dir) == d && d != ".":
				a.place++
			}
		}
		a.place += 0.6 / float64(1+strings.Count(file, "/"))
	}
	for _, file := range open {
		if i, ok := f.index(file); ok {
			f.about[i].place += 3
		}
	}
}

// uses adds what a text uses: the files that declare it are near.
func (f *focus) uses(texts []string) {
	used := map[string]*[]int{}
	for _, t := range texts {
		identifiers(t, func(s string) {
			if len(s) > 3 && used[s] == nil {
				used[s] = &[]int{}
			}
		})
	}
	if len(used) == 0 {
		return
	}
	for i := range f.files {
		for _, s := range f.of(i) {
			if d := used[s.Name]; d != nil && len(*d) < 8 && (len(*d) == 0 || (*d)[len(*d)-1] != i) {
				*d = append(*d, i)
			}
		}
	}
	near := make([]int, len(f.files)) // in thousandths: a sum of integers does not depend on its order
	for _, d := range used {
		if n := len(*d); n > 0 && n < 8 {
			for _, i := range *d {
				near[i] += 1000 / (n * n)
			}
		}
	}
	for i, n := range near {
		f.about[i].near += 2 * math.Sqrt(float64(n)/1000)
	}
}

// ranks computes the rank of each file.
func (f *focus) ranks() {
	for i := range f.about {
		a := &f.about[i]
		a.rank = (f.fits(i) + a.near + a.place) * a.aside
	}
	for _, m := range f.mentioned {
		f.about[m.file].rank += 20
	}
}

// stem returns a file's name without folder and ending.
func stem(file string) string {
	base := file[strings.LastIndexByte(file, '/')+1:]
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	return base
}

// aside returns a factor below 1 for files that are seldom the place of a change.
func aside(file string) float64 {
	factor := 1.0
	base := file
	for rest := file; ; {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			base = rest
			break
		}
		dir := rest[:i]
		rest = rest[i+1:]
		switch dir {
		case "vendor", "node_modules", "testdata", "dist", "fixtures", "__snapshots__":
			return 0.1
		case "test", "tests", "__tests__", "e2e":
			factor = 0.5
		}
	}
	switch {
	case strings.HasSuffix(base, ".lock"), strings.HasSuffix(base, ".sum"), containsAny(base, lockAndMade):
		return 0.1
	case strings.HasPrefix(base, "test_"), containsAny(base, tests):
		return 0.5
	}
	return factor
}

// Parts of the names of files that programs write, and of tests.
var (
	lockAndMade = []string{".min.", "-lock.", ".pb.", "generated"}
	tests       = []string{"_test.", ".test.", ".spec."}
)

func containsAny(s string, of []string) bool {
	for _, o := range of {
		if strings.Contains(s, o) {
			return true
		}
	}
	return false
}
