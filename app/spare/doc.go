// Package spare keeps text that the history cannot record for now in a file outside of it, where
// there is space: one per project, replaced as a whole, and removed once its text is recorded.
// The next start recovers a file that is left.
//
//	Place.Write -> a file in the first folder that takes it -> Place.Found, Read
//
// A file is either complete, or detected as damaged; no other user can read it. Its text is
// already masked.
package spare
