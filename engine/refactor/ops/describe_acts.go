package ops

import (
	"slices"
	"strings"

	"waferpair/engine/refactor/kit"
	"waferpair/engine/refactor/words"
)

// effect is a statement that changes something, or may.
func (w *describer) effect(n *kit.Node) {
	fs := &w.facts
	var a act
	ok := false
	if n.Is(kit.Call) {
		a, ok = w.callAct(n)
	} else {
		a, ok = w.assignAct(n)
	}
	if ok {
		w.add(a)
	} else {
		fs.whole = fs.whole && n.Is(kit.Assign) && n.Get("left").Is(kit.Name) && !w.mayAct(n)
		if n.Is(kit.Call) && w.callee(n) != "" {
			if t := w.text(n); t != "" && len(t) <= 48 && w.quoted(t) != "" {
				fs.calls, fs.does = append(fs.calls, w.quoted(t)), append(fs.does, w.quoted(t))
				return
			}
		}
	}
	w.callsUnder(n, ok)
}

// add notes an act, once; what is stored under its own name is said together.
func (w *describer) add(a act) {
	acts := &w.facts.acts
	if n := len(*acts); n > 0 && a.verb == "store" && (*acts)[n-1].verb == "store" && !strings.Contains(a.rest, " ") {
		before := &(*acts)[n-1]
		if !strings.Contains(before.rest, " under ") {
			before.rest = strings.ReplaceAll(before.rest, " and ", ", ") + " and " + a.rest
			return
		}
	}
	a.rest = strings.TrimSpace(a.rest)
	if !slices.ContainsFunc(*acts, func(b act) bool { return b.verb == a.verb && b.rest == a.rest }) {
		*acts = append(*acts, a)
	}
}

func (w *describer) assignAct(n *kit.Node) (act, bool) {
	left, right, op := n.Get("left"), n.Get("right"), w.operator(n)
	if w.steps(n) { // Java and JavaScript: x++
		left = n.Code()[0]
		op = w.f.Text(n)[n.To-n.From-2:]
	}
	if left == nil || left.Is(kit.Name) || count(n, "left") > 1 || count(n, "right") > 1 {
		return act{}, false
	}
	to := w.quoted(w.target(left))
	if to == "" {
		return act{}, false
	}
	switch op {
	case "++":
		return do("increment", to), true
	case "--":
		return do("decrement", to), true
	case "=", "+=", "-=":
	default:
		return do("update", to), true
	}
	if right == nil {
		return act{}, false
	}
	if right.Is(kit.Call) && w.form == kit.GoDoc {
		args := right.Args()
		if name, on := w.method(right); on == "" && name == "append" && len(args) == 2 &&
			w.f.Text(args[0]) == w.f.Text(left) {
			if x := w.side(args[1]); x != "" {
				return do("append", x+" to "+to), true
			}
			return do("append", "to "+to), true
		}
	}
	for right.Is(kit.Assign) && right.Get("right") != nil { // a = b = 1
		right = right.Get("right")
	}
	value := w.side(right)
	name := w.f.Text(right)
	own := left.Is(kit.Member) && w.d.Self != "" && w.f.Text(left.Get("object")) == w.d.Self
	switch {
	case value == "" && op == "=":
		return do("set", to), true
	case value == "":
		return do("update", to), true
	case op == "+=":
		return do("add", value+" to "+to), true
	case op == "-=":
		return do("subtract", value+" from "+to), true
	case own && w.d.Kind == "constructor" && right.Is(kit.Name) && w.isParam(name) &&
		strings.EqualFold(strings.ReplaceAll(strings.TrimLeft(w.f.Text(left)[len(w.d.Self)+1:], "_#"), "_", ""),
			strings.ReplaceAll(name, "_", "")):
		return do("store", value), true
	}
	return do("set", to+" to "+value), true
}

// target is what is assigned to, if it is no local.
func (w *describer) target(n *kit.Node) string {
	for k := n; k != nil; {
		if k.Is(kit.Name) {
			if len(w.bound[w.f.Text(k)]) > 0 || k == n {
				return ""
			}
			break
		}
		code := k.Code()
		if len(code) == 0 {
			break
		}
		k = code[0]
	}
	return w.text(n)
}

// callAct is a call whose effect is known everywhere.
func (w *describer) callAct(call *kit.Node) (act, bool) {
	if a, ok := w.knownCall(call); ok {
		return a, true
	}
	name, on := w.method(call)
	args := call.Args()
	if on == "" || w.form == kit.GoDoc {
		return act{}, false
	}
	obj := w.side(w.object(call))
	if obj == "" || !w.lasting(w.object(call)) {
		return act{}, false
	}
	arg := func(i int) string { return w.side(args[i]) }
	switch {
	case (name == "append" || name == "push" || name == "add") && len(args) == 1:
		if a := arg(0); a != "" {
			return do("add", a+" to "+obj), true
		}
		return do("add", "to "+obj), true
	case (name == "remove" || name == "delete") && len(args) == 1:
		if a := arg(0); a != "" {
			return do("remove", a+" from "+obj), true
		}
	case (name == "put" || name == "set") && len(args) == 2:
		if k, v := arg(0), arg(1); k != "" && v != "" {
			return do("store", v+" under "+k+" in "+obj), true
		}
	case (name == "clear" || name == "close") && len(args) == 0:
		return do(name, obj), true
	case (name == "sort" || name == "reverse") && w.form != kit.Javadoc:
		return do(name, obj), true
	}
	return act{}, false
}

// lasting reports whether what is changed there is still there when the function has returned:
// it is on no local.
func (w *describer) lasting(n *kit.Node) bool {
	for n != nil && !n.Is(kit.Name) {
		code := n.Code()
		if len(code) == 0 {
			return true
		}
		n = code[0]
	}
	return n == nil || len(w.bound[w.f.Text(n)]) == 0
}

// known is what a call of the standard library does: {} is its argument of that number.
type known struct {
	verb, rest string
	arg        int    // the argument that the rest is about
	without    string // what is said when the argument is not certain
}

var knownCalls = map[kit.DocForm]map[string]known{
	kit.GoDoc: {
		"os.ReadFile": {"read", "the file {}", 0, "a file"}, "os.Open": {"open", "the file {}", 0, "a file"},
		"os.Create": {"create", "the file {}", 0, "a file"}, "os.WriteFile": {"write", "the file {}", 0, "a file"},
		"os.Remove": {"remove", "the file {}", 0, "a file"}, "os.MkdirAll": {"make", "the directory {}", 0, "a directory"},
		"json.Unmarshal": {"decode", "{} as JSON", 0, "JSON"}, "json.Marshal": {"encode", "{} as JSON", 0, "JSON"},
		"json.MarshalIndent": {"encode", "{} as JSON", 0, "JSON"}, "http.Get": {"request", "{} over HTTP", 0, "over HTTP"},
		"sort.Strings": {"sort", "{}", 0, "strings"}, "sort.Ints": {"sort", "{}", 0, "integers"},
		"time.Sleep": {"wait", "for {}", 0, "for some time"}, "fmt.Println": {"print", "{}", 0, "to the standard output"},
		"fmt.Printf": {"print", "to the standard output", -1, ""}, "delete": {"remove", "{1} from {}", 0, "from a map"},
		"os.Getenv":  {"read", "the environment variable {}", 0, "an environment variable"},
		"io.ReadAll": {"read", "all of {}", 0, "all of a reader"}, "panic": {"panic", "", -1, ""},
		"strconv.Atoi": {"parse", "{} as an integer", 0, "an integer"},
	},
	kit.Docstring: {
		"open": {"open", "the file {}", 0, "a file"}, "json.load": {"decode", "its JSON", -1, ""},
		"json.loads": {"decode", "{} as JSON", 0, "JSON"}, "json.dump": {"write", "{} as JSON", 0, "JSON"},
		"json.dumps": {"encode", "{} as JSON", 0, "JSON"}, "requests.get": {"request", "{} over HTTP", 0, "over HTTP"},
		"requests.post": {"post", "to {} over HTTP", 0, "over HTTP"}, "print": {"print", "{}", 0, "to the standard output"},
		"time.sleep": {"wait", "for {} seconds", 0, "for some seconds"}, "os.remove": {"remove", "the file {}", 0, "a file"},
		"os.makedirs":    {"make", "the directory {}", 0, "a directory"},
		"subprocess.run": {"run", "the command {}", 0, "a command"}, "csv.reader": {"read", "CSV", -1, ""},
		"csv.DictReader": {"read", "CSV", -1, ""}, "csv.writer": {"write", "CSV", -1, ""},
	},
	kit.JSDoc: {
		"JSON.parse": {"parse", "{} as JSON", 0, "JSON"}, "JSON.stringify": {"encode", "{} as JSON", 0, "JSON"},
		"fetch": {"fetch", "{}", 0, "over HTTP"}, "console.log": {"log", "{}", 0, "to the console"},
		"fs.readFileSync":  {"read", "the file {}", 0, "a file"},
		"fs.writeFileSync": {"write", "the file {}", 0, "a file"}, "readFileSync": {"read", "the file {}", 0, "a file"},
		"readFile": {"read", "the file {}", 0, "a file"}, "writeFile": {"write", "the file {}", 0, "a file"},
		"fs.readFile": {"read", "the file {}", 0, "a file"}, "fs.writeFile": {"write", "the file {}", 0, "a file"},
		"localStorage.getItem": {"read", "{} from the local storage", 0, "the local storage"},
		"localStorage.setItem": {"store", "{} in the local storage", 0, "a value in the local storage"},
	},
	kit.Javadoc: {
		"Files.readString": {"read", "the file {}", 0, "a file"}, "Files.readAllLines": {"read", "the lines of the file {}",
			0, "the lines of a file"},
		"Files.writeString": {"write", "the file {}", 0, "a file"}, "Files.lines": {"read", "the lines of the file {}", 0,
			"the lines of a file"},
		"Files.newBufferedReader": {"open", "the file {}", 0, "a file"},
		"System.out.println":      {"print", "{}", 0, "to the standard output"},
		"Collections.sort":        {"sort", "{}", 0, "a list"}, "Thread.sleep": {"wait", "for {} milliseconds",
			0, "for some time"},
	},
}

// knownCall is what a call of the standard library does.
func (w *describer) knownCall(call *kit.Node) (act, bool) {
	name, on := w.method(call)
	full := strings.TrimPrefix(on+"."+name, ".")
	root, _, _ := strings.Cut(full, ".")
	k, ok := knownCalls[w.form][full]
	if !ok || len(w.bound[root]) > 0 || w.isParam(root) || root == w.d.Name {
		return act{}, false
	}
	args := call.Args()
	if k.arg < 0 {
		return do(k.verb, k.rest), true
	}
	if len(args) == 0 || (k.verb == "print" || k.verb == "log") && len(args) > 1 {
		return do(k.verb, k.without), len(args) > 0
	}
	x := w.side(args[0])
	if x == "" || strings.HasPrefix(x, "*") ||
		k.verb == "open" && len(args) > 1 && strings.ContainsAny(w.f.Text(args[1]), "wax") {
		if k.verb == "open" && x != "" {
			return do("open", "the file "+x+" for writing"), true
		}
		return do(k.verb, k.without), true
	}
	rest := strings.Replace(k.rest, "{}", x, 1)
	if strings.Contains(rest, "{1}") {
		if len(args) < 2 || w.side(args[1]) == "" {
			return do(k.verb, k.without), true
		}
		rest = strings.Replace(rest, "{1}", w.side(args[1]), 1)
	}
	return do(k.verb, rest), true
}

// dull are calls that say nothing about what a function is for.
var dull = words.Set(`len append str int float bool list dict set tuple range isinstance make new cap copy print super
	String Number Boolean parseInt parseFloat format repr enumerate zip sorted min max abs sum type getattr hasattr
	errors.New fmt.Errorf fmt.Sprintf fmt.Fprintf Object.keys Object.values Object.entries Array.from Array.isArray
	require recover panic iter next map filter any all hash id cls List.of Map.of Math.max Math.min setattr round
	string error byte rune int64 int32 uint64 uint32 float64 uint int16 uint8 uint16 isNaN encodeURIComponent`)

// calls notes what is called under n, unless only some paths get there.
func (w *describer) calls(n *kit.Node) { w.callsUnder(n, false) }

func (w *describer) callsUnder(n *kit.Node, said bool) {
	n.Walk(func(k *kit.Node) bool {
		switch {
		case k.Is(kit.Func, kit.Class):
			return false
		case k.Kind == kit.Other && k.Get("alternative") != nil, k.Is(kit.Binary) && shortCircuits(w.operator(k)):
			return false // one of two ways
		case !k.Is(kit.Call) || said && k == n:
			return true
		}
		if a, ok := w.knownCall(k); ok && a.verb != "print" && a.verb != "panic" {
			w.add(a)
			return true
		}
		name := w.callee(k)
		bare := strings.Trim(name, "`")
		bare = strings.TrimSuffix(strings.TrimPrefix(bare, "{@code "), "}")
		if name != "" && !dull[bare] && !slices.Contains(w.facts.calls, name) && !shouting(bare) {
			w.facts.calls = append(w.facts.calls, name)
		}
		return true
	})
}

// shouting are names that are no functions' to a reader: a class that is called makes an object.
func shouting(name string) bool {
	return strings.HasPrefix(name, "super") || strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception")
}

func shortCircuits(op string) bool {
	return slices.Contains([]string{"&&", "||", "??", "and", "or", "if"}, op)
}

// handler is what catches an exception, and what it is called: "KeyError is raised".
func (w *describer) handler(n *kit.Node) (when string, body *kit.Node) {
	text := w.f.Text(n)
	for _, k := range n.Kids {
		if k.Is(kit.Block) {
			body = k
		}
	}
	if body == nil {
		return "", nil
	}
	head := strings.TrimSpace(string(w.f.Src[n.From:body.From]))
	_ = text
	switch {
	case strings.HasPrefix(head, "except"):
		head, _, _ = strings.Cut(head, "\n")
		head, _, _ = strings.Cut(head, "#")
		if !strings.HasSuffix(strings.TrimSpace(head), ":") {
			return "", body
		}
		head = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.TrimPrefix(head, "except")), ":"))
		head, _, _ = strings.Cut(head, " as ")
		head = strings.ReplaceAll(strings.Trim(head, "() "), ",", " or")
		if head == "" || strings.Contains(head, "\n") || strings.Contains(head, "#") {
			return "an exception occurs", body
		}
		return strings.Join(strings.Fields(head), " ") + " occurs", body
	case strings.HasPrefix(head, "catch"):
		head = strings.Trim(strings.TrimSpace(strings.TrimPrefix(head, "catch")), "(){ ")
		if fs := strings.Fields(head); w.form == kit.Javadoc && len(fs) == 2 {
			return w.code(fs[0]) + " occurs", body
		}
		return "an exception occurs", body
	}
	return "", nil
}

// try is what is tried, and what comes of it when that fails.
func (w *describer) try(n *kit.Node, last bool) {
	fs := &w.facts
	fs.whole = false
	body := n.Get("body")
	if body == nil {
		fs.misses = fs.misses || w.gives(n)
		return
	}
	gives := w.gives(n)
	for _, k := range n.Code() {
		when, in := w.handler(k)
		if in == nil {
			if k != body {
				w.departs(k)
			}
			continue
		}
		stmts := in.Code()
		if when == "" {
			fs.misses = fs.misses || gives
			continue
		}
		if len(stmts) == 0 {
			fs.misses = fs.misses || gives
			continue
		}
		leave := stmts[len(stmts)-1]
		switch {
		case leave.Is(kit.Return) && !w.givesBut(in, leave):
			if code := leave.Code(); len(code) == 0 {
				fs.vague = true
			} else {
				fs.returns = true
				if v := w.values(code); v != "" {
					fs.outcomes = append(fs.outcomes, outcome{what: v, when: when})
				} else {
					fs.misses = true
				}
			}
		case leave.Is(kit.Leave) && !w.givesBut(in, leave):
			if o, ok := w.raised(leave); ok {
				o.when, o.says = when, ""
				fs.outcomes = append(fs.outcomes, o)
			}
		default:
			w.departs(k)
			fs.misses = fs.misses || gives
		}
	}
	w.readBlock(body.Code(), last)
}

func (w *describer) givesBut(n, but *kit.Node) bool {
	found := false
	n.Walk(func(k *kit.Node) bool {
		found = found || k.Is(kit.Return, kit.Leave) && k != but
		return !found && !k.Is(kit.Func, kit.Class)
	})
	return found
}

// aboutParams notes what the body does with each parameter.
func (w *describer) aboutParams() {
	for _, p := range w.d.Params {
		if p.Name == "" || len(w.bound[p.Name]) > 0 {
			continue
		}
		says := ""
		w.d.Body.Walk(func(n *kit.Node) bool {
			if says != "" || !n.Is(kit.Name) || w.f.Text(n) != p.Name {
				return says == ""
			}
			says = w.use(n)
			return says == ""
		})
		if says != "" {
			w.params[p.Name] = says
		}
	}
}

// use is what is done with a parameter at one place.
func (w *describer) use(n *kit.Node) string {
	p := n.Parent
	switch {
	case p == nil:
		return ""
	case p.Is(kit.Call) && n.Field == "function":
		if p.Up(kit.Loop) != nil {
			return "a function, called in a loop"
		}
		return "a function that is called"
	case p.Is(kit.Assign) && n.Field == "right" && p.Get("left").Is(kit.Member) && w.operator(p) == "=":
		if to := w.quoted(w.f.Text(p.Get("left"))); to != "" && w.f.Text(p.Get("left").Get("object")) == w.d.Self {
			return "stored in " + to
		}
	}
	return ""
}
