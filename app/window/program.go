package window

import (
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// programName is the name of the program that opens the window for a command line
// built without it. Loading GTK's and WebKit's libraries takes 50 ms, and not every
// computer has them. The program has the whole command line, too.
const programName = "waferpair-window"

// MissingError names the shared libraries that the window's program needs and this
// computer does not have.
type MissingError struct {
	Path      string
	Libraries []string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s needs libraries that are not installed: %s", e.Path, strings.Join(e.Libraries, ", "))
}

// FindProgram finds the program that opens the window for the program exe of this
// version: in the same folder, or in ../lib/waferpair, where packages put it. It
// returns an error when that program could not run: after exec it would be too late,
// and the user would see what the dynamic loader prints.
func FindProgram(exe, version string) (string, error) {
	exe, err := filepath.EvalSymlinks(exe)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", programName, err)
	}
	dir := filepath.Dir(exe)
	lib := filepath.Join(filepath.Dir(dir), "lib", "waferpair")
	for _, path := range []string{filepath.Join(dir, programName), filepath.Join(lib, programName)} {
		_, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil:
			err = checkProgram(path, version)
		}
		return path, err
	}
	return "", &Unavailable{fmt.Sprintf("%s is neither in %s nor in %s", programName, dir, lib)}
}

// checkProgram checks that path is a program of this version, has the window and can run.
func checkProgram(path, version string) error {
	if _, err := exec.LookPath(path); err != nil {
		return fmt.Errorf("start the window: %w", err)
	}
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("start the window: %s is no program: %w", path, err)
	}
	defer f.Close()
	if stamp := sha256.Sum256([]byte(version)); !slices.Equal(buildID(f), stamp[:]) {
		return &Unavailable{fmt.Sprintf("%s was not built with this program (%s)", path, version)}
	}
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("start the window: %s: %w", path, err)
	}
	if !slices.ContainsFunc(libraries, func(l string) bool { return strings.HasPrefix(l, "libwebkit2gtk") }) {
		return &Unavailable{path + " was built without the window, too"}
	}
	if missing := missingOf(path, libraries); len(missing) > 0 {
		return &MissingError{path, missing}
	}
	return nil
}

// buildID is the build ID of a program. The Makefile sets it to the hash of the version.
func buildID(f *elf.File) []byte {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return nil
	}
	note, err := s.Data()
	if err != nil || len(note) < 16 {
		return nil
	}
	// three numbers (the lengths of the name and of the ID, the type), then "GNU\0"
	return note[16:min(len(note), 16+int(f.ByteOrder.Uint32(note[4:])))]
}

// missingOf returns the libraries of a program that cannot be found. ldconfig lists the
// installed ones in a millisecond; when one is not in that list, the dynamic loader
// decides, which takes longer and also looks elsewhere (LD_LIBRARY_PATH).
func missingOf(path string, libraries []string) []string {
	listed, err := exec.Command("/sbin/ldconfig", "-p").Output()
	if err == nil && len(notListed(string(listed), libraries)) == 0 {
		return nil
	}
	c := exec.Command(path, "--version") // a loader that does not know the variable runs it
	c.Env = append(os.Environ(), "LD_TRACE_LOADED_OBJECTS=1")
	traced, err := c.Output()
	if err != nil {
		return nil // nothing that can be relied on
	}
	return notFound(string(traced))
}

// notListed returns the libraries that ldconfig -p does not list.
func notListed(listed string, libraries []string) (missing []string) {
	for _, l := range libraries {
		if !strings.Contains(listed, "\t"+l+" ") {
			missing = append(missing, l)
		}
	}
	return missing
}

// notFound returns the libraries that the dynamic loader did not find.
func notFound(traced string) (missing []string) {
	for line := range strings.Lines(traced) {
		if name, ok := strings.CutSuffix(strings.TrimSpace(line), " => not found"); ok {
			missing = append(missing, name)
		}
	}
	return missing
}
