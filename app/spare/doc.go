// Package spare keeps what the history cannot take for now in a file outside of
// it, where there is space: one per project, replaced as a whole, and removed once
// everything in it is recorded. The next start takes in one that was left.
//
//	Place.Write -> a file in the first folder that takes it -> Place.Found, Read
//
// A file that is there is whole, or is found to be damaged; nobody else can read
// it. It holds text as the history may hold it: whoever writes has masked it.
package spare
