package server

import (
	"strings"

	"waferpair/app"
	"waferpair/history"
)

// Request is a request for a turn.
type Request struct {
	Text  string   `json:"text"`
	Model string   `json:"model"`          // "" is the default
	Mode  app.Mode `json:"mode,omitempty"` // ask: a question, whose answer edits nothing
	File  string   `json:"file"`           // the file that the user points at; "" for none
	From  int      `json:"from"`           // lines, from 1; 0 for the whole file
	To    int      `json:"to"`
	Scope []string `json:"scope"` // globs; edits elsewhere are held

	Pins    []string `json:"pins,omitempty"`    // files that a language model's prompt must have
	Without []string `json:"without,omitempty"` // parts that it must not have

	Session history.SessionID `json:"session,omitempty"` // 0: the session that the page shows
	Choice  *Choice           `json:"choice,omitempty"`  // of the requests that a turn offered, with its file and scope
	// goes on with a turn that broke off, with its model, file and scope; text is then empty, or
	// words to add
	Continue history.TurnID `json:"continue,omitempty"`
	// sends the request of a turn again, or text in its place, on a fork from before that turn
	Again history.TurnID `json:"again,omitempty"`
	Ready string         `json:"ready,omitempty"` // the name of a ready request, to which text may add words
	About *About         `json:"about,omitempty"` // of changes; text may add words
	Fix   int            `json:"fix,omitempty"`   // the number of a finding to fix; text is not used

	OverBudget bool `json:"overBudget,omitempty"` // it is sent even if the daily budget is used up
}

// About is a request about changes.
type About struct {
	Kind app.Kind       `json:"kind"`           // review or commit
	Turn history.TurnID `json:"turn,omitempty"` // whose changes; 0: those that are not committed, or the last turn's
}

// Choice is one of the requests that a declined turn offered.
type Choice struct {
	Turn history.TurnID `json:"turn"`
	N    int            `json:"n"` // its number in the list, from 1
}

type turnArgs struct {
	Turn history.TurnID `json:"turn"`
}

type turnAnswer struct {
	Turn history.TurnID `json:"turn"`
}

func edit(c *call, o *opened, in Request) (turnAnswer, error) {
	if in.Session == 0 {
		in.Session = c.page.shows()
	}
	turn, session, err := o.edit(in, c.arrived)
	if err != nil {
		return turnAnswer{}, err
	}
	c.page.show(session)
	return turnAnswer{turn}, nil
}

type steerArgs struct {
	Turn history.TurnID `json:"turn"`
	Text string         `json:"text"`
}

type steerAnswer struct {
	Sent  bool `json:"sent"`
	Steer int  `json:"steer"` // its number within the turn, as in its receipts
}

// steer steers a turn. The receipts are in the turn's parts; if the turn was over already, the page
// keeps the text.
func steer(_ *call, o *opened, in steerArgs) (steerAnswer, error) {
	switch {
	case strings.TrimSpace(in.Text) == "":
		return steerAnswer{}, usage("The instruction is empty: say how to go on.")
	case len(in.Text) > maxRequest:
		return steerAnswer{}, usage("The instruction is longer than 1 MB.")
	}
	turn, err := o.theTurn(in.Turn)
	if err != nil {
		return steerAnswer{}, nil
	}
	n := turn.Steer(in.Text)
	return steerAnswer{n > 0, n}, nil
}

func stop(_ *call, o *opened, in turnArgs) (null, error) {
	turn, err := o.theTurn(in.Turn)
	if err != nil {
		return nil, err
	}
	turn.Stop()
	return nil, nil
}

func pause(_ *call, o *opened, in turnArgs) (null, error) {
	turn, err := o.theTurn(in.Turn)
	if err != nil {
		return nil, err
	}
	turn.Pause()
	return nil, nil
}

func resume(_ *call, o *opened, in turnArgs) (null, error) {
	turn, err := o.theTurn(in.Turn)
	if err != nil {
		return nil, err
	}
	turn.Resume()
	return nil, nil
}
