// Package webdriver drives the real window for measurements. It has a display (Xvfb) and a
// session bus of its own, WebKitWebDriver, and a small client of the W3C WebDriver protocol
// (https://www.w3.org/TR/webdriver2/).
//
// It starts each program in a process group of its own and ends the whole group, and does
// not touch the user's desktop. The window must be a build with the tag e2e; other builds
// refuse automation.
package webdriver
