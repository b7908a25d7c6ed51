// Package webdriver drives the real window for measurements: a display of its
// own (Xvfb), a session bus of its own, WebKitWebDriver, and a small client of
// the W3C WebDriver protocol (https://www.w3.org/TR/webdriver2/).
//
// Everything it starts is in one process group each and ended by that; nothing
// of the user's desktop is touched. The window must be a build with the tag
// e2e: other builds refuse automation.
package webdriver
