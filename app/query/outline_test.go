package query

import (
	"fmt"
	"strings"
	"testing"
)

func TestOutlineByLines(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"a.rs": {"pub(crate) async fn load(x: u8) {\n    let y = f(x);\n}\nimpl Foo for Bar {}\npub struct Bar;\nconst MAX: u8 = 1;\n", "func load 1, type Bar 5, const MAX 6"},
		"a.c": {"#define LIMIT 5\nstatic int read_all(int fd,\n                    char *buf)\n{\n\tif (fd < 0)\n\t\treturn read(fd, buf);\n\twhile (next(fd)) {\n\t}\n}\nstruct node {\n};\nint decl(int a);\n",
			"const LIMIT 1, func read_all 2, type node 10"},
		"a.cpp":    {"class Shop : public Base {\n};\nvoid Shop::sell(int n) {\n}\n", "type Shop 1, func Shop::sell 3"},
		"a.java":   {"public final class Shop {\n  private static Map<String, List<Integer>> find(int x) {\n    return other(x);\n  }\n}\n", "type Shop 1, method find 2"},
		"a.kt":     {"data class P(val x: Int)\nfun String.twice(): String = this + this\n", "type P 1, func twice 2"},
		"a.rb":     {"module A\n  class B\n    def self.c?(x)\n", "type A 1, type B 2, method c? 3"},
		"a.php":    {"<?php\nfinal class A {\n  public static function b() {}\n", "type A 2, func b 3"},
		"a.sh":     {"build() {\n  echo x\n}\nfunction clean {\n", "func build 1, func clean 4"},
		"Makefile": {"all: build test\nX := 1\nbuild:\n\tgo build\n", "func all 1, func build 3"},
		"a.md":     {"# One #\ntext\n```sh\n# no\n```\n### Two three\r\n", "heading One 1, heading Two three 6"},
		"a.sql": {"CREATE TABLE IF NOT EXISTS users (\n id int);\ncreate or replace function f() returns int\n",
			"type users 1, func f 3"},
		"a.txt": {"func x() {}\n", ""},
	} {
		list, err := outline(name, []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprintf("%s %s %d", s.Kind, s.Name, s.Line))
		}
		if g := strings.Join(got, ", "); g != c.want {
			t.Errorf("%s: got %q, want %q", name, g, c.want)
		}
	}
}
