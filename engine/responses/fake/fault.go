package fake

// Fault is what goes wrong, and where. The zero Fault is none.
type Fault struct {
	Kind  FaultKind
	After int // events sent before it; 0: before the first byte
	Bytes int // of DieAt: bytes of the answer sent before it

	Status     int    // of an error answer
	Code       string // of an error
	Message    string
	RetryAfter string // header Retry-After, as it is
	Body       string // instead of the error's JSON
	Type       string // the Body's content type
	Size       int    // of Flood: bytes of text
}

// FaultKind names what goes wrong.
type FaultKind int

const (
	None        FaultKind = iota
	Refuse                // the answer is an error: Status, Code, Message, RetryAfter, Body
	Fail                  // response.failed (chat: an error chunk) after After events
	ErrorEvent            // the in-stream event "error" after After events
	Die                   // the connection ends after After events, without the end of the body or a close frame
	DieAt                 // the same after Bytes bytes
	Reset                 // the same with a TCP reset, after After events
	Idle                  // nothing more comes after After events; the connection stays
	Endless               // after the items, text without end
	Flood                 // after the items, Size bytes of text
	Future                // events of an unknown type, from After on, one between each two
	CutJSON               // the event after After events is cut in its middle, then the stream goes on
	NoJSON                // the event after After events is no JSON
	BadUTF8               // the event after After events has invalid UTF-8 in it
	Disorder              // the events after After come in reverse pairs: done before delta
	Doubled               // every done event comes twice
	Minimal               // only created, output_item.done, completed: what Codex needs
	NoParts               // no content_part events
	Buffered              // a proxy keeps the stream until its end
	NoEnd                 // the stream ends cleanly without its terminal event
	NoStatus              // WebSocket: an error frame without status
	BinaryFrame           // WebSocket: the event after After events comes as a binary frame
	BadFrame              // WebSocket: bytes that are no frame
)

// Status answers with an HTTP error, or an error frame, of the shape that OpenAI uses.
func Status(status int, code, message string) Fault {
	return Fault{Kind: Refuse, Status: status, Code: code, Message: message}
}

// RateLimited answers 429. Empty: without Retry-After.
func RateLimited(retryAfter string) Fault {
	return Fault{Kind: Refuse, Status: 429, Code: "rate_limit_exceeded", RetryAfter: retryAfter,
		Message: "Rate limit reached for gpt-5.5 in organization org-1 on requests per min (RPM): Limit 3, Used 3, " +
			"Requested 1."}
}

// HTML answers with a page, as a gateway does.
func HTML(status int) Fault {
	return Fault{Kind: Refuse, Status: status, Type: "text/html; charset=utf-8",
		Body: "<html>\r\n<head><title>Bad Gateway</title></head>\r\n<body>\r\n<center><h1>Bad Gateway</h1></center>\r\n" +
			"<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"}
}

// Late fails the response in the middle: a rate limit, a revoked key, a server error.
func Late(after int, code, message string) Fault {
	return Fault{Kind: Fail, After: after, Code: code, Message: message}
}

// At is a fault after n events.
func At(k FaultKind, n int) Fault { return Fault{Kind: k, After: n} }

// AtByte ends the connection after n bytes of the answer.
func AtByte(n int) Fault { return Fault{Kind: DieAt, Bytes: n} }

// Flooding adds n bytes of text to the answer.
func Flooding(n int) Fault { return Fault{Kind: Flood, Size: n} }
