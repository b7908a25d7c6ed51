package treesitter

import (
	"regexp"
	"strings"

	"waferpair/engine/refactor"
	"waferpair/engine/refactor/words"
)

// unbound finds a name that a file mentions after an edit and nothing binds there,
// although the file mentioned no such name before: a type that was never imported,
// a value that another file does not know. It would not compile, or not run.
func (j *job) unbound(u, v *unit) *ref {
	was := map[string]bool{}
	for _, r := range u.refs {
		if r.b == nil {
			was[r.node.text()] = true
		}
	}
	for _, r := range inOrder(v.refs) {
		name := r.node.text()
		if r.b != nil || r.decl || was[name] {
			continue
		}
		if d, ok := j.d.(typed); ok {
			if !d.knows(j.p, v, r) {
				return r
			}
		} else if !j.known(v, name) {
			return r
		}
	}
	return nil
}

// known reports whether a name that a file does not bind means something there all
// the same: it is the language's or the platform's, or another file's for all.
func (j *job) known(u *unit, name string) bool {
	if u.python() {
		return pyBuiltins[name] || strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") || u.importsAll()
	}
	if jsGlobals[name] || jsKeywords[name] || ambient[name] || platform.MatchString(name) {
		return true
	}
	units, err := j.p.mentioning(j.ctx, name)
	if err != nil {
		return true // nothing can be said
	}
	for _, w := range units {
		if w.path != u.path && w.ambient(j.d, name) {
			return true
		}
	}
	return false
}

// importsAll: from m import * may bind anything.
func (u *unit) importsAll() bool {
	for _, o := range u.imports {
		if o.star {
			return true
		}
	}
	return false
}

// ambient reports whether the file shows that a name needs no import: it declares
// it for every file, or uses it without one.
func (u *unit) ambient(d dialect, name string) bool {
	if d.global(u) && u.module.names[name] != nil {
		return true
	}
	declares := strings.HasSuffix(u.path, ".d.ts")
	for _, r := range u.refs {
		if r.node.text() != name {
			continue
		}
		if r.b == nil || declares && r.decl || r.decl && r.node.up("ambient_declaration") != nil {
			return true
		}
	}
	return false
}

// inScope declines a type that mentions a name which means nothing in the scope.
func (j *job) inScope(u *unit, s *scope, typ string) error {
	line := "let x: " + typ + ";"
	switch {
	case u.python():
		line = "x: " + strings.Trim(typ, `"'`) + "\n" // a whole type may be quoted
	case !u.d.typed(u):
		return nil // JavaScript has none, and says so elsewhere
	}
	v := j.p.fresh("t"+ext(u.path), []byte(line))
	if v == nil || v.errors > 0 || len(v.root.list()) != 1 {
		return j.decline("%s is not a type", typ)
	}
	for _, r := range inOrder(v.refs) {
		n := r.node.text()
		if r.b != nil || r.decl || s.lookup(n, both) != nil || j.known(u, n) {
			continue
		}
		return j.foreign(u, n)
	}
	return nil
}

// isType reports whether what is said to be a name is a type of the file or of the
// language: then "a Session" was meant, and the name is not said.
func (j *job) isType(u *unit, s *scope, name string) bool {
	if b := s.lookup(name, both); b != nil {
		b = j.p.follow(b)
		return b.kind == "class" || b.kind == "interface" || b.kind == "type" || b.kind == "enum"
	}
	return zeros[name] != "" && u.python()
}

// unnamed asks for the name of a parameter or a field of which only the type is said.
func (j *job) unnamed(what, typ, owner string) error {
	return &refactor.Declined{Code: refactor.Ambiguous, Understood: j.op.String(),
		Reason:  typ + " is a type: what is it called?",
		Nearest: []string{what + " " + refactor.NameFor(typ, owner) + " of type `" + typ + "` to " + owner}}
}

// foreign declines a name that a file does not know, and says where it is declared.
func (j *job) foreign(u *unit, name string) error {
	d := &refactor.Declined{Code: refactor.NoSymbol, Understood: j.op.String(),
		Reason: name + " means nothing in " + u.path}
	units, _ := j.p.mentioning(j.ctx, name)
	for _, w := range units {
		if b := w.module.names[name]; b != nil && len(b.imps) == 0 && w != u {
			d.Reason += ", which does not import it; it is declared at " + spot(w, b.decls[0].name)
			break
		}
	}
	return d
}

// platform are the names that browsers declare by the hundred.
var platform = regexp.MustCompile(`^(HTML|SVG|MathML|WebGL|RTC|IDB|CSS|DOM|Media|Audio|GPU|WebAssembly|Speech|Crypto|` +
	`Performance|Service|Animation|Mutation|Intersection|Resize|Readable|Writable|Transform|Text|Font|File|Canvas)[A-Z]\w*$|` +
	`^[A-Z]\w*(Event|EventMap|Element|Array|Observer|Worker|Request|Response)(Init|Constructor)?$`)

// ambient are names that JavaScript's platforms, TypeScript's library and its test
// runners declare for every file, beside jsGlobals.
var ambient = words.Set(`globalThis window self global top parent frames screen alert confirm prompt setTimeout clearTimeout
	setInterval clearInterval setImmediate clearImmediate queueMicrotask structuredClone requestAnimationFrame
	cancelAnimationFrame requestIdleCallback parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent
	encodeURI decodeURI escape unescape atob btoa require module exports __dirname __filename Deno Bun EvalError
	ReferenceError SyntaxError URIError AggregateError SharedArrayBuffer Uint8ClampedArray BigInt64Array BigUint64Array
	WeakRef FinalizationRegistry Iterator WebAssembly TextEncoder TextDecoder AbortSignal EventTarget EventSource
	MessageChannel MessagePort BroadcastChannel XMLHttpRequest FileReader FileList Image Audio Option Worker Notification
	MutationObserver ResizeObserver IntersectionObserver DOMException DOMParser Document Window Range Selection Text Comment
	NodeList HTMLCollection Storage Location History Navigator Screen Crypto Performance ReadableStream WritableStream
	TransformStream DataTransfer Touch MediaQueryList ShadowRoot Attr Console addEventListener removeEventListener dispatchEvent
	getComputedStyle matchMedia scrollTo indexedDB caches sessionStorage customElements
	bigint Partial Required Readonly Record Pick Omit Exclude Extract NonNullable Parameters ConstructorParameters ReturnType
	InstanceType ThisType ThisParameterType OmitThisParameter Uppercase Lowercase Capitalize Uncapitalize Awaited NoInfer
	ReadonlyArray ReadonlyMap ReadonlySet ArrayLike PromiseLike Iterable IterableIterator AsyncIterable AsyncIterator
	AsyncIterableIterator Generator AsyncGenerator GeneratorFunction PropertyKey PropertyDescriptor TemplateStringsArray
	RegExpMatchArray RegExpExecArray ClassDecorator MethodDecorator ErrorOptions ArrayBufferLike BufferSource BlobPart
	BodyInit RequestInfo RequestInit ResponseInit HeadersInit EventListener EventListenerOrEventListenerObject
	AddEventListenerOptions DOMRect DOMRectReadOnly Timer NodeJS JSX React Express BufferEncoding CallableFunction
	Disposable AsyncDisposable FormDataEntryValue Transferable VoidFunction ParentNode ChildNode
	describe it test expect beforeEach afterEach beforeAll afterAll before after jest vi suite assert cy chai sinon`)
