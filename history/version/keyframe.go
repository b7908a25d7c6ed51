package version

// keyframeEvery is the measured balance between the size of the database and the time to
// rebuild a version (facts: 10 is 3x larger, 1,000 is 5x slower).
const keyframeEvery = 100

// WantKeyframe reports whether a version should be stored whole, after so many edits and
// bytes of deltas since the last keyframe. Large files wait longer, because their keyframes
// are large: until their deltas weigh a sixteenth of the file, or for 1,000 edits.
func WantKeyframe(edits, bytes, size int) bool {
	return edits >= keyframeEvery && (bytes >= size/16 || edits >= 10*keyframeEvery)
}
