package genproject

import (
	"os/exec"
	"testing"
)

func TestGeneratedProjectBuilds(t *testing.T) {
	dir := t.TempDir()
	if err := GenerateProject(dir, 65); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, out)
	}
}
