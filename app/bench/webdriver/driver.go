package webdriver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// Driver is a running WebKitWebDriver.
type Driver struct {
	process *process
	base    string
}

// StartDriver starts WebKitWebDriver. The programs that it launches inherit env and this
// process's environment.
func StartDriver(ctx context.Context, env []string) (*Driver, error) {
	path, err := lookup("WebKitWebDriver")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, "--host=127.0.0.1", "--port="+strconv.Itoa(port))
	cmd.Env = append(os.Environ(), env...)
	p, err := start(cmd)
	if err != nil {
		return nil, err
	}
	d := &Driver{p, fmt.Sprintf("http://127.0.0.1:%d", port)}
	if err := d.ready(ctx); err != nil {
		d.Close()
		return nil, fmt.Errorf("WebKitWebDriver did not start: %w: %s", err, p.out.String())
	}
	return d, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ready polls the driver's status until it answers.
func (d *Driver) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"/status", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-d.process.done:
			return fmt.Errorf("it ended: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Close ends the driver and the windows that it opened.
func (d *Driver) Close() { d.process.stop() }
