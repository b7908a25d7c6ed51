package golang

import (
	"go/scanner"
	"go/token"
	"strings"
)

// settleComments is settle for an operation that writes comments and nothing
// else. Types cannot change by that, so none are checked; that every token, and
// every comment that tools obey, stays as it was is.
func (j *job) settleComments() error {
	if j.edits.empty() {
		return j.declined("there is nothing to change")
	}
	if err := j.edits.sorted(); err != nil {
		return j.declined("the changes get in each other's way: %v", err)
	}
	for f := range j.edits.changes {
		j.tidy(f)
	}
	q := j.p.overlay(j.edits.after())
	for _, f := range sortedKeys(j.edits.changes) {
		old, now := j.p.file(f), q.file(f)
		if now == nil || now.err != nil && (old == nil || old.err == nil) {
			return j.declined("%s would no longer parse: %v", f, errOf(now))
		}
		if at, same := sameCode(j.p.bytes[f], now.src); !same {
			return j.declined("a comment there would be inside a literal or another comment, or be a directive (%s:%d)", f,
				now.line(at))
		}
	}
	return j.ctx.Err()
}

// sameCode reports whether two sources differ in comments and spaces alone; at
// is the offset in b of the first other difference. Comments that tell tools
// something count as code.
func sameCode(a, b []byte) (at int, same bool) {
	x, y := newCodeScanner(a), newCodeScanner(b)
	for {
		_, tok, lit := x.next()
		off, tok2, lit2 := y.next()
		if tok != tok2 || lit != lit2 {
			return off, false
		}
		if tok == token.EOF {
			return 0, true
		}
	}
}

type codeScanner struct {
	s    scanner.Scanner
	file *token.File
}

func newCodeScanner(src []byte) *codeScanner {
	c := &codeScanner{file: token.NewFileSet().AddFile("", -1, len(src))}
	c.s.Init(c.file, src, nil, scanner.ScanComments)
	return c
}

// next is the next token that is not a mere comment.
func (c *codeScanner) next() (off int, tok token.Token, lit string) {
	for {
		pos, tok, lit := c.s.Scan()
		if tok == token.COMMENT && !obeyed(lit) {
			continue
		}
		if tok == token.SEMICOLON { // written, or a line's end, or the file's
			lit = ""
		}
		return c.file.Offset(pos), tok, lit
	}
}

// directive reports whether a comment is a command to a tool: //go:noinline.
func directive(c string) bool {
	rest, ok := strings.CutPrefix(c, "//")
	return ok && rest != "" && rest[0] != ' ' && rest[0] != '\t' && strings.Contains(rest, ":")
}

// obeyed reports whether tools do what a comment says: //go:embed, //export F,
// //line, build constraints.
func obeyed(comment string) bool {
	return directive(comment) || strings.HasPrefix(comment, "/*line ") ||
		strings.HasPrefix(comment, "//export ") || strings.HasPrefix(comment, "//line ") ||
		strings.HasPrefix(comment, "// +build")
}
