package alert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/smtp"
	"strings"
	"time"
)

const mailFrom = "tide@harbour.example"

// Notifier tells somebody about an alert.
type Notifier interface {
	Notify(a *Alert, attempts int) error
	Close() error
}

// LogNotifier writes alerts to the log.
type LogNotifier struct {
	Prefix string
}

func (l *LogNotifier) Notify(a *Alert, attempts int) error {
	log.Println(l.Prefix, a.Severity, a.Message)
	return nil
}

func (l *LogNotifier) Close() error { return nil }

// MailNotifier sends alerts by mail.
type MailNotifier struct {
	Host       string
	Port       int
	Recipients []string
	timeout    time.Duration
}

func (m *MailNotifier) Notify(a *Alert, attempts int) error {
	addr := m.Host + ":" + fmt.Sprint(m.Port)
	body := buildBody(a, true)
	var err error
	for i := 0; i < attempts; i++ {
		err = smtp.SendMail(addr, nil, mailFrom, m.Recipients, []byte(body))
		if err == nil {
			return nil
		}
		time.Sleep(2 * time.Second)
	}
	return fmt.Errorf("mail %s: %w", a.StationID, err)
}

func (m *MailNotifier) Close() error { return nil }

func buildBody(a *Alert, html bool) string {
	s := "Subject: [tidewatch] " + a.Severity.String() + " at " + a.StationID + "\r\n\r\n"
	if html {
		s += "<p style=\"color:" + color(a.Severity) + "\">" + a.Message + "</p>"
	} else {
		s += a.Message
	}
	return s
}

// WebhookNotifier posts alerts to a URL.
type WebhookNotifier struct {
	URL     string
	Secret  string
	timeout time.Duration
}

type webhookPayload struct {
	StationID string
	Severity  string
	Message   string
	RaisedAt  int64
}

func (w *WebhookNotifier) post(p webhookPayload) error {
	data, _ := json.Marshal(p)
	fmt.Println("posting", string(data))
	client := http.Client{Timeout: w.timeout}
	resp, err := client.Post(w.URL, "application/json", bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("webhook %s: status %d", w.URL, resp.StatusCode)
	}
	return nil
}

// Recipients splits a list of addresses as it is written on the command line.
func Recipients(list string) []string {
	var out []string
	for _, r := range strings.Split(list, ",") {
		r = strings.TrimSpace(r)
		if strings.Contains(r, "@") {
			out = append(out, r)
		}
	}
	return out
}

func pluralAlerts(n int) string {
	if n == 1 {
		return "1 alert"
	}
	return fmt.Sprintf("%d alerts", n)
}
