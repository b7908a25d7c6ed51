package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"waferpair/app"
	"waferpair/engine"
	"waferpair/history"
	"waferpair/workspace"
	"waferpair/workspace/text"
)

// Failure is an error for the user, with what to do.
type Failure struct {
	Code    FailureCode `json:"code"`
	Message string      `json:"message"`
	Data    any         `json:"data,omitempty"`
}

// Error implements error, so that a command can return a Failure of its own.
func (f *Failure) Error() string { return f.Message }

// FailureCode is the kind of a Failure, on which the page acts.
type FailureCode string

const (
	codeFailed   FailureCode = "failed"
	codeUsage    FailureCode = "usage"
	codeConflict FailureCode = "conflict" // data: {files: ThreeWay[]}; nothing was written
	codeReadOnly FailureCode = "readonly"
	codeGone     FailureCode = "gone"  // the file or the project folder does not exist
	codeStale    FailureCode = "stale" // the document was replaced: open it again
	codeBusy     FailureCode = "busy"  // a turn is running, or has the file
	codeNone     FailureCode = "none"  // no folder is open
	codeUnknown  FailureCode = "unknown"
)

func fail(code FailureCode, message string) *Failure { return &Failure{Code: code, Message: message} }

func usage(message string) *Failure { return fail(codeUsage, message) }

var errNone = fail(codeNone, "No folder is open. Open one first.")

// failure converts an error.
func failure(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return fail(codeOf(err), err.Error())
}

func codeOf(err error) FailureCode {
	var version *workspace.VersionError
	var overlap *engine.OverlapError
	var conflict *history.Conflict
	var head *history.HeadError
	var disk *workspace.StaleError
	var encode *text.EncodeError
	var path *workspace.PathError
	switch {
	case errors.Is(err, app.ErrReplaced), errors.Is(err, app.ErrUnseen), errors.As(err, &version):
		return codeStale
	case errors.As(err, new(*engine.Busy)), errors.As(err, new(*app.SessionBusy)):
		return codeBusy
	case errors.Is(err, app.ErrReadOnly), errors.Is(err, history.ErrReadOnly):
		return codeReadOnly
	case errors.As(err, &conflict), errors.As(err, &head), errors.As(err, &overlap), errors.As(err, &disk):
		return codeConflict
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, workspace.ErrGone):
		return codeGone
	case errors.As(err, &encode), errors.As(err, &path), errors.Is(err, fs.ErrExist),
		errors.Is(err, workspace.ErrRepository), errors.Is(err, text.ErrLength), errors.Is(err, text.ErrPosition):
		return codeUsage
	case errors.Is(err, context.Canceled):
		return codeFailed
	}
	return codeFailed
}

// status returns the HTTP status of a failed read.
func (f *Failure) status() int {
	switch f.Code {
	case codeUsage:
		return http.StatusBadRequest
	case codeUnknown, codeGone:
		return http.StatusNotFound
	case codeConflict, codeBusy, codeStale, codeNone:
		return http.StatusConflict
	case codeReadOnly:
		return http.StatusForbidden
	}
	return http.StatusInternalServerError
}
