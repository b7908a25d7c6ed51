package version

// keyframeEvery is the measured sweet spot between the size of the database and
// the time to rebuild a version (facts: 10 is 3x larger, 1,000 is 5x slower).
const keyframeEvery = 100

// WantKeyframe says whether a version is stored whole: so many edits and bytes of
// deltas came since the last one that was. It makes large files wait longer,
// because their keyframes are large: until their deltas weigh a sixteenth of the
// file, or 1,000 edits.
func WantKeyframe(edits, bytes, size int) bool {
	return edits >= keyframeEvery && (bytes >= size/16 || edits >= 10*keyframeEvery)
}
