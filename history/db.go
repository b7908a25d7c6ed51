package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the driver
	"github.com/pressly/goose/v3"

	schema "waferpair/history/sql"
)

// dsn returns the URI of a database file. It escapes the path: folders may contain ? and %.
func dsn(path, params string) string {
	u := url.URL{Scheme: "file", Opaque: strings.ReplaceAll(url.PathEscape(path), "%2F", "/")}
	return u.String() + "?" + params
}

// The writer checkpoints when it is idle, so the automatic checkpoint is only a bound for
// long busy stretches. Secure delete overwrites removed bytes in the file: drafts and the
// state that pages keep may have held the beginning of a secret.
const (
	writerParams = "_txlock=immediate&_busy_timeout=5000&_journal_mode=WAL&_synchronous=FULL&_secure_delete=on"
	readerParams = "mode=ro&_query_only=1&_busy_timeout=5000&_stmt_cache_size=32"
)

func openWriter(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", dsn(path, writerParams))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

func openReader(path string) (*sql.DB, error) { return openReaderWith(path, readerParams) }

func openReaderWith(path, params string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", dsn(path, params))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	return db, nil
}

// makeFile creates an empty private file for SQLite to fill: SQLite itself would make it
// readable by others. The file must not be in use yet.
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

func userVersion(ctx context.Context, db *sql.DB) (v int, err error) {
	err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}

// migrations are the files of the schema; each is run by SQLite as it is, in a transaction.
// Goose's own SQL parser would take four megabytes of memory per line, and more time than
// SQLite takes to create the tables.
func migrations() (all []*goose.Migration, err error) {
	files, err := schema.Files.ReadDir(".")
	for _, f := range files {
		version, verr := goose.NumericComponent(f.Name())
		body, rerr := schema.Files.ReadFile(f.Name())
		err = errors.Join(err, verr, rerr)
		all = append(all, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, string(body))
			return err
		}}, nil))
	}
	return all, err
}

// migrate brings the database to the newest schema. It uses goose only when there is
// something to do, because goose costs more than the rest of Open.
func migrate(ctx context.Context, db *sql.DB, have int) error {
	switch {
	case have == schema.Version:
		return nil
	case have > schema.Version:
		return fmt.Errorf("%w (it has schema %d, this version knows up to %d)", ErrNewer, have, schema.Version)
	}
	all, err := migrations()
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, nil, goose.WithGoMigrations(all...),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate from schema %d to %d: %w", have, schema.Version, err)
	}
	return nil
}
