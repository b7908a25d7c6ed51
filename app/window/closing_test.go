package window

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestClosingIsBounded(t *testing.T) {
	broken := errors.New("broken")
	if err := closeWithin(func(context.Context) error { return broken }, time.Minute); err != broken {
		t.Errorf("got %v", err)
	}
	told, stuck := make(chan struct{}), make(chan struct{})
	defer close(stuck)
	err := closeWithin(func(ctx context.Context) error {
		<-ctx.Done()
		close(told)
		<-stuck
		return nil
	}, time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "the next start finishes it") {
		t.Errorf("got %v", err)
	}
	<-told
}

func TestGPUPolicies(t *testing.T) {
	for in, want := range map[string]GPU{"": GPUNever, "never": GPUNever, "always": GPUAlways, "ondemand": GPUOnDemand} {
		if got, err := ParseGPU(in); got != want || err != nil {
			t.Errorf("%q: %v, %v", in, got, err)
		}
	}
	if _, err := ParseGPU("sometimes"); err == nil || !strings.Contains(err.Error(), GPUVariable) {
		t.Error(err)
	}
}
