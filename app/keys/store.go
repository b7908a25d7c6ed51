package keys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
)

// Place is where a key is.
type Place string

// The places of keys.
const (
	Env     Place = "env"
	Memory  Place = "memory"
	Keyring Place = "keyring"
	Missing Place = "missing"
	None    Place = "none" // the provider is not known to need a key
)

// For says whose key is wanted.
type For struct {
	Provider string
	Origin   string // of the server that gets it
	EnvKey   string // the variable that may have it, or ""
	Ring     bool   // the keyring may have it even if there is no EnvKey
}

func (f For) account() string { return f.Provider + " " + f.Origin }

// Asked reports whether the keyring is asked: not for servers that need no key, because it may have
// to be unlocked by hand.
func (f For) Asked() bool { return f.Ring || f.EnvKey != "" }

// Store finds keys, and keeps them. Make it with NewStore.
type Store struct {
	ring ring
	mu   sync.Mutex
	mem  map[string]Secret
}

// NewStore returns a store with the desktop's keyring, if there is one, and an empty memory.
func NewStore() *Store { return &Store{ring: desktop{}, mem: map[string]Secret{}} }

type envKey struct{}

// WithEnv sets the variables of the process that a command belongs to.
func WithEnv(ctx context.Context, lookup func(name string) (string, bool)) context.Context {
	return context.WithValue(ctx, envKey{}, lookup)
}

// Getenv returns a variable of the process that a command belongs to.
func Getenv(ctx context.Context, name string) (string, bool) {
	if lookup, ok := ctx.Value(envKey{}).(func(string) (string, bool)); ok {
		if v, ok := lookup(name); ok {
			return v, true
		}
	}
	return os.LookupEnv(name)
}

// Find looks for a key. A key that cannot be used is an error, as is a keyring that does not answer.
func (s *Store) Find(ctx context.Context, f For) (Secret, Place, error) {
	if f.EnvKey != "" {
		if v, ok := Getenv(ctx, f.EnvKey); ok && v != "" {
			k, err := New(v)
			if err != nil {
				return k, Env, fmt.Errorf("the variable %s: %w", f.EnvKey, err)
			}
			return k, Env, nil
		}
	}
	s.mu.Lock()
	k, ok := s.mem[f.account()]
	s.mu.Unlock()
	switch {
	case ok:
		return k, Memory, nil
	case !f.Asked():
		return Secret{}, None, nil
	}
	text, err := s.ring.get(ctx, f.account())
	switch {
	case err == nil:
		k, err := New(text)
		return k, Keyring, err
	case errors.Is(err, errNotFound), errors.Is(err, ErrNoKeyring):
		return Secret{}, Missing, nil
	}
	return Secret{}, Missing, fmt.Errorf("look for the key of %s in the keyring: %w", f.Provider, err)
}

// Keep keeps a key: in the keyring, or, without one, in this process's memory. why says why it is not
// in the keyring.
func (s *Store) Keep(ctx context.Context, f For, k Secret) (at Place, why error) {
	err := s.ring.set(ctx, f.account(), k.Reveal())
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.mem, f.account())
		return Keyring, nil
	}
	s.mem[f.account()] = k
	return Memory, err
}

// Drop removes a key from the memory alone.
func (s *Store) Drop(f For) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mem, f.account())
}

// Forget removes a key that was kept. A key that is not there is no error.
func (s *Store) Forget(ctx context.Context, f For) error {
	s.Drop(f)
	if !f.Asked() {
		return nil
	}
	err := s.ring.remove(ctx, f.account())
	if err == nil || errors.Is(err, errNotFound) || errors.Is(err, ErrNoKeyring) {
		return nil
	}
	return fmt.Errorf("remove the key of %s from the keyring: %w", f.Provider, err)
}

// CheckKeyring returns why there is no keyring that answers; nil when there is one.
func (s *Store) CheckKeyring(ctx context.Context) error {
	_, err := s.ring.get(ctx, "doctor")
	if errors.Is(err, errNotFound) {
		return nil
	}
	return err
}
