// Package live holds what an open file is while a model and its user write in it.
//
//	Disk      what is on disk, and what of head is not
//	Layers    head, the hunk that the model is writing, what the user typed, live
//	composer  a long row of changes, folded into one
//
//	disk --unsaved--> head --hunk--> mid --typed--> live
//
// It knows texts and changes of them, and neither files nor the history. What is
// recorded, journaled and saved of a file, and when, is package app's.
package live
