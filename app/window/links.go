package window

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"unicode"
)

// checkLink allows only links that are safe to open outside: http and https, with a host,
// without invisible characters. Other schemes (file:, javascript:, a program's own) could make
// the desktop run something.
func checkLink(link string) error {
	if strings.ContainsFunc(link, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) ||
			unicode.Is(unicode.Cf, r)
	}) {
		return errors.New("open the link: it contains invisible characters")
	}
	u, err := url.Parse(link)
	if err != nil {
		return fmt.Errorf("open the link: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("open %.200q: only http and https links are opened outside", link)
	}
	return nil
}

// openLink opens a link in the desktop's browser.
func openLink(link string) error {
	if err := checkLink(link); err != nil {
		return err
	}
	cmd := exec.Command("xdg-open", link)
	cmd.Env = outside(os.Environ())
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("open %s in your browser: %w; install xdg-utils, or copy the link", link, err)
	}
	go func() { _ = cmd.Wait() }() // only reaps the process
	return nil
}
