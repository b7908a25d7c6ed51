package golang

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"waferpair/engine/refactor"
)

// visibility exports a symbol, or takes that back: in Go the first letter of its name says so.
func (j *job) visibility() error {
	s, err := j.symbol("symbol", "")
	if err != nil {
		return err
	}
	d, level := s.first(), j.arg("to")
	name, asked := d.name.Name, j.op
	switch {
	case d.local || d.kind == "param":
		return j.declined("%s is local to %s, and no other package sees it", name, d.owner)
	case level != "public" && level != "private":
		return j.declined("Go has exported (public) and unexported (private) names, and no %s ones", level)
	case exported(name) == (level == "public"):
		return j.already("%s is %s", name, map[bool]string{true: "exported", false: "not exported"}[exported(name)])
	}
	to := unexportedName(name)
	if level == "public" {
		to = exportedName(name)
	}
	j.op.Args = maps.Clone(j.op.Args)
	j.op.Args["to"] = to
	err = j.rename()
	j.op = asked
	var declined *refactor.Declined
	if errors.As(err, &declined) {
		declined.Understood = asked.String()
	}
	j.summary = fmt.Sprintf("Made %s %s: it is %s now.", name, level, to)
	return err
}

// initialisms are written in one case, as golint wants them.
var initialisms = strings.Fields("acl api ascii cpu css dns eof guid html http https id ip json lhs qps ram rhs rpc " +
	"sla smtp sql ssh tcp tls ttl udp ui uid uri url utf8 uuid vm xml xmpp xsrf xss")

func exportedName(name string) string {
	name = strings.TrimLeft(name, "_")
	word := name
	if i := strings.IndexFunc(name, unicode.IsUpper); i > 0 {
		word = name[:i]
	}
	for _, w := range initialisms {
		if word == w {
			return strings.ToUpper(word) + name[len(word):]
		}
	}
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// unexportedName lowers the first word: HTTPServer to httpServer, ID to id, Parse to parse.
func unexportedName(name string) string {
	rs := []rune(name)
	for i := range rs {
		if !unicode.IsUpper(rs[i]) || i > 0 && i+1 < len(rs) && unicode.IsLower(rs[i+1]) {
			break
		}
		rs[i] = unicode.ToLower(rs[i])
	}
	return string(rs)
}
