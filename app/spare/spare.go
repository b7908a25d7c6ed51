package spare

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waferpair/history"
)

// File is what a spare file holds, below a line with the SHA-256 of it.
type File struct {
	Root    string // the project folder
	History string // the folder of its history
	At      time.Time
	Docs    []Doc
}

// Doc is a file of which not everything is recorded.
type Doc struct {
	Path   string
	Before history.Hash // the newest version that is durable; zero: none
	Head   history.Hash // the one that was on its way to the history then
	Mode   fs.FileMode
	Text   []byte
}

// Place is where the spare file of a project is.
type Place struct {
	Root    string   // the project folder
	History string   // the folder of its history
	Homes   []string // folders in which it may be, in the order of how long they last
}

// name tells the histories apart, also two of the same project.
func (p Place) name() string {
	sum := sha256.Sum256([]byte(p.History))
	return filepath.Base(p.History) + "-" + hex.EncodeToString(sum[:6]) + ending
}

const ending = ".unrecorded"

// Write keeps docs in the first place that takes them, and says where. What was
// kept before is replaced.
func (p Place) Write(docs []Doc) (at string, err error) {
	body, err := json.Marshal(File{p.Root, p.History, time.Now(), docs})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	data := slices.Concat([]byte(hex.EncodeToString(sum[:])+"\n"), body)
	var errs []error
	for _, home := range p.Homes {
		name := filepath.Join(home, p.name())
		if err := replace(name, data); err != nil {
			errs = append(errs, err)
			continue
		}
		p.remove(name)
		return name, nil
	}
	return "", errors.Join(errs...)
}

// Remove removes what Write has kept.
func (p Place) Remove() { p.remove("") }

// remove removes the files but the one to keep.
func (p Place) remove(keep string) {
	for _, home := range p.Homes {
		if name := filepath.Join(home, p.name()); name != keep {
			_ = os.Remove(name) // what stays is found recorded, and then let be
		}
	}
}

// Found lists the files that are there, those that were left included.
func (p Place) Found() (names []string) {
	for _, home := range p.Homes {
		list, _ := filepath.Glob(filepath.Join(globQuoted(home), globQuoted(p.name())+"*"))
		names = append(names, list...)
	}
	return names
}

// globQuoted is a name that a pattern takes literally.
func globQuoted(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// Read is what a file holds.
func Read(name string) (file File, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return file, err
	}
	head, body, ok := bytes.Cut(data, []byte("\n"))
	sum := sha256.Sum256(body)
	if !ok || string(head) != hex.EncodeToString(sum[:]) {
		return file, errors.New("it is damaged")
	}
	return file, json.Unmarshal(body, &file)
}

// Leave renames a file that could not be taken in, so that a new one does not
// replace it; Found finds it under that name.
func Leave(name string) string {
	if !strings.HasSuffix(name, ending) {
		return name
	}
	to := fmt.Sprintf("%s-%x", name, time.Now().UnixNano())
	if os.Rename(name, to) != nil {
		return name
	}
	return to
}

// Beside keeps the text of a document that has no place any more as a file of its
// own, in the folder of the spare file that it was in.
func Beside(name string, d Doc) (at string, err error) {
	sum := sha256.Sum256(d.Text)
	at = fmt.Sprintf("%s-%x-%s", filepath.Join(filepath.Dir(name), "kept"), sum[:4], filepath.Base(d.Path))
	return at, replace(at, d.Text)
}
