//go:build !unix

package app

import "io/fs"

func ownedByUser(fs.FileInfo) bool { return true }
