package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
)

// A read answers a query, which is in the URL, or as JSON in the body of a POST.
type read struct {
	out reflect.Type // its answer
	run func(ctx context.Context, h *host, query []byte) (any, error)
}

// reading makes a read from a function that needs the open project, compared with the disk.
func reading[In, Out any](do func(context.Context, *opened, In) (Out, error)) read {
	return looking(func(ctx context.Context, o *opened, in In) (out Out, err error) {
		if err := o.Ready(ctx); err != nil {
			return out, err
		}
		return do(ctx, o, in)
	})
}

// looking makes a read from a function that needs the open project, compared or not. What fails
// because the project is being closed fails as it would a moment later, without a project.
func looking[In, Out any](do func(context.Context, *opened, In) (Out, error)) read {
	return read{reflect.TypeFor[Out](), func(ctx context.Context, h *host, query []byte) (any, error) {
		in, err := parseQuery[In](query)
		if err != nil {
			return nil, err
		}
		o, done, err := h.use()
		if err != nil {
			return nil, err
		}
		defer done()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(o.ctx, cancel)() // closing the project cancels a search
		out, err := do(ctx, o, in)
		if err != nil && o.ctx.Err() != nil {
			return nil, errNone
		}
		return out, err
	}}
}

// anytime makes a read from a function that needs no open project.
func anytime[In, Out any](do func(context.Context, *host, In) (Out, error)) read {
	return read{reflect.TypeFor[Out](), func(ctx context.Context, h *host, query []byte) (any, error) {
		in, err := parseQuery[In](query)
		if err != nil {
			return nil, err
		}
		return do(ctx, h, in)
	}}
}

// serveRead answers one read, or with a Failure under "error".
func (s *Server) serveRead(w http.ResponseWriter, r *http.Request) {
	answer, err := s.answerRead(w, r)
	if err != nil {
		f := failure(err)
		writeJSON(w, f.status(), struct {
			Error *Failure `json:"error"`
		}{f})
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *Server) answerRead(w http.ResponseWriter, r *http.Request) (any, error) {
	what, ok := reads[r.PathValue("read")]
	if !ok {
		return nil, fail(codeUnknown, fmt.Sprintf("There is nothing to read at %s in this version.", r.URL.Path))
	}
	query, err := queryOf(w, r)
	if err != nil {
		return nil, err
	}
	return what.run(r.Context(), s.host, query)
}

// queryOf returns the query: JSON, or URL values marked with a leading '?'.
func queryOf(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	switch r.Method {
	case http.MethodGet:
		return []byte("?" + r.URL.RawQuery), nil
	case http.MethodPost:
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, usage("The query is longer than 16 MB.")
		}
		return body, err
	}
	return nil, usage("Reads are asked for with GET, or with POST and a JSON body.")
}

// parseQuery parses a query into the fields of In. A missing field stays zero.
func parseQuery[In any](query []byte) (in In, err error) {
	if rest, ok := strings.CutPrefix(string(query), "?"); ok {
		values, err := url.ParseQuery(rest)
		if err != nil {
			return in, usage("The query cannot be read: " + err.Error())
		}
		if query, err = json.Marshal(jsonOf(values, reflect.TypeFor[In]())); err != nil {
			return in, err
		}
	}
	if err := json.Unmarshal(query, &in); err != nil {
		return in, usage("The query does not fit: " + err.Error())
	}
	return in, nil
}

// jsonOf converts URL values to the types of their fields. A value that does not fit stays a
// string, which the field then refuses.
func jsonOf(values url.Values, t reflect.Type) map[string]any {
	out := map[string]any{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all, ok := values[name]
		if !ok || f.Anonymous {
			continue
		}
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		if ft.Kind() == reflect.Slice {
			out[name] = scalars(all, ft.Elem().Kind())
			continue
		}
		out[name] = scalar(all[0], ft.Kind())
	}
	return out
}

func scalars(all []string, k reflect.Kind) []any {
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = scalar(s, k)
	}
	return out
}

func scalar(s string, k reflect.Kind) any {
	switch k {
	case reflect.Bool:
		if b, err := strconv.ParseBool(s); err == nil {
			return b
		}
	case reflect.Int, reflect.Int64:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	default:
	}
	return s
}
