package window

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOnlyWebLinksAreOpenedOutside(t *testing.T) {
	for link, ok := range map[string]bool{
		"https://go.dev/doc?a=b#c":          true,
		"http://127.0.0.1:8080/":            true,
		"https://user@example.com/%20":      true,
		"":                                  false,
		"go.dev":                            false,
		"file:///etc/passwd":                false,
		"javascript:alert(1)":               false,
		"JavaScript:alert(1)":               false,
		"data:text/html,x":                  false,
		"mailto:a@b.c":                      false,
		"https://":                          false,
		"https:///path":                     false,
		"--help":                            false,
		"https://a.b/\n--new":               false,
		"https://a.b/ x":                    false,
		"https://a.b/\u202egpj.exe":         false,
		"vscode://file/etc/passwd":          false,
		"http\t://a.b":                      false,
		"wails://wails/":                    false,
		"HTTPS://GO.DEV":                    true,
		"https://[::1]:80/":                 true,
		"https://a.b:notaport/":             false,
		"https://" + strings.Repeat("a", 9): true,
	} {
		if err := checkLink(link); (err == nil) != ok {
			t.Errorf("%q: %v", link, err)
		}
	}
}

func TestALinkReachesTheDesktop(t *testing.T) {
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	script := "#!/bin/sh\nprintf '%s' \"$1\" > " + seen + ".part && mv " + seen + ".part " + seen + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	const link = "https://example.com/a?b=$(id)&c='d'"
	if err := openLink(link); err != nil {
		t.Fatal(err)
	}
	var got []byte
	await(t, func() bool { got, _ = os.ReadFile(seen); return got != nil })
	if string(got) != link {
		t.Errorf("xdg-open got %q", got)
	}

	t.Setenv("PATH", t.TempDir())
	if err := openLink(link); err == nil || !strings.Contains(err.Error(), "install xdg-utils") {
		t.Errorf("without xdg-open: %v", err)
	}
}

const patience = time.Minute

// await polls until ok, because what it waits for happens in another process.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
	}
}

func awaitString(t *testing.T, c <-chan string) string {
	t.Helper()
	select {
	case s := <-c:
		return s
	case <-time.After(patience):
		t.Fatal("nothing came")
		return ""
	}
}
