package providers

import (
	"context"
	"errors"
	"fmt"

	"waferpair/app/config"
	"waferpair/app/keys"
)

// NotKeptError says that there is no keyring for a key, and that this process does not last. Nothing
// was changed.
type NotKeptError struct{ Why error }

func (e *NotKeptError) Error() string {
	return fmt.Sprintf("the key was not kept, and nothing was added: %v, and no window or 'waferpair serve' "+
		"runs that could keep it in memory; give the key in a variable instead: --env-key VARIABLE", e.Why)
}

func (e *NotKeptError) Unwrap() error { return e.Why }

// Add adds a provider to config.toml, and keeps its key, if one is given: in the keyring, or, if this
// process lasts, in its memory. It returns where the key is.
func (s *Source) Add(ctx context.Context, p config.Provider, k keys.Secret, lasts bool) (keys.Place, error) {
	if err := config.Check(p); err != nil {
		return keys.Missing, err
	}
	at, err := s.SetKey(ctx, p, k, lasts)
	if err != nil {
		return at, err
	}
	if err := s.File.Add(p); err != nil {
		if !k.IsZero() {
			err = errors.Join(err, s.Keys.Forget(ctx, For(p)))
		}
		return at, err
	}
	return at, nil
}

// SetKey keeps the key of a provider, as Add does; without one it looks where the key is.
func (s *Source) SetKey(ctx context.Context, p config.Provider, k keys.Secret, lasts bool) (keys.Place, error) {
	if k.IsZero() {
		_, at, err := s.Keys.Find(ctx, For(p))
		return at, err
	}
	at, why := s.Keys.Keep(ctx, For(p), k)
	if at == keys.Keyring || lasts {
		return at, nil
	}
	s.Keys.Drop(For(p))
	return keys.Missing, &NotKeptError{why}
}

// ChangeKey is SetKey of a provider in config.toml, which notes there that the keyring has the key: a provider
// that was added without one is not looked for in the keyring otherwise.
func (s *Source) ChangeKey(ctx context.Context, p config.Provider, k keys.Secret, lasts bool) (keys.Place, error) {
	at, err := s.SetKey(ctx, p, k, lasts)
	if err != nil || at != keys.Keyring || For(p).Asked() {
		return at, err
	}
	if err := s.File.SetKeyring(p.Name); err != nil {
		p.Keyring = true
		return at, errors.Join(err, s.Keys.Forget(ctx, For(p)))
	}
	return at, nil
}

// Remove removes a provider: from config.toml, its key, and what was learned.
func (s *Source) Remove(ctx context.Context, name string) error {
	p, _ := s.File.Read().Provider(name)
	if err := s.File.Remove(name); err != nil {
		return err
	}
	p.Name = name
	err := s.state.forget(name)
	if kept := s.Keys.Forget(ctx, For(p)); kept != nil {
		err = errors.Join(err, fmt.Errorf("%s is removed from %s, but its key is left: %w", name, s.File.Path(), kept))
	}
	return err
}

// Imported is what became of a provider of Codex.
type Imported struct {
	Name  string     `json:"provider"`
	Added bool       `json:"added"`
	Key   keys.Place `json:"key,omitempty"`
	Why   string     `json:"why,omitempty"` // it was not added, or not its key
}

// Import adds one provider of Codex. Its token must not get into our file: it goes to the keyring, or
// nowhere.
func (s *Source) Import(ctx context.Context, i config.Imported) Imported {
	out := Imported{Name: i.Name}
	if err := i.Err(); err != nil {
		out.Why = err.Error()
		return out
	}
	if s.File.Read().Taken(i.Name) != nil {
		out.Why = "there is a provider of this name already"
		return out
	}
	if i.Token != "" {
		i.Keyring = true
		out.Key, out.Why = s.importToken(ctx, i)
	}
	if err := s.File.Add(i.Provider); err != nil {
		out.Why = err.Error()
		return out
	}
	out.Added = true
	return out
}

func (s *Source) importToken(ctx context.Context, i config.Imported) (keys.Place, string) {
	k, err := keys.New(i.Token)
	if err != nil {
		return keys.Missing, "its experimental_bearer_token cannot be used: " + err.Error()
	}
	at, err := s.SetKey(ctx, i.Provider, k, false)
	if err == nil {
		return at, ""
	}
	if no := (*NotKeptError)(nil); errors.As(err, &no) {
		err = no.Why
	}
	return keys.Missing, "its experimental_bearer_token was not taken over: " + err.Error() +
		"; set env_key to a variable, or run 'waferpair models add " + i.Name + " --key-stdin'"
}
