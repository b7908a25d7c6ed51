//go:build race

package wafer

const raceDetector = true
