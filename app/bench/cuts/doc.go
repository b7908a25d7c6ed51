// Package cuts is a provider whose connections end at any byte of an answer, and whose model goes on in
// several ways when it is asked to continue.
//
//	Job: files, hunks, the text that they must become   known by construction, not by what the product does
//	Provider: request -> what had come, as the client replays it -> the model's way to go on -> answer
//	line: the answer's bytes -> the limit -> the connection ends, closed or reset
//
// The bytes are counted below HTTP and WebSockets, so a cut falls within a header, a frame, a JSON
// string or a character as often as these have bytes.
package cuts
