// Package docs has the documents of the whole service, and the tests that they name
// only what is there.
//
// The guide (docs/guide) is for users: each of its blocks of code is an example that a test
// runs, or the part of one between [name] and [end], and is compared with it here.
//
// The tests read CONTRIBUTING.md, docs/*.md, docs/guide/*.md, every README.md and CHANGELOG.md that is not
// below a testdata folder, and the comments of every doc.go. Each path that one of
// them names has to exist, below the root or below the folder of the document; a star,
// or a word in angle brackets, stands for anything. A file name by itself is looked for
// in the folders named before it under the same heading as well. Each function, type,
// constant or variable that a document places in a file, in one of the forms
//
//	`<folder>/<file>.go` `Name`, `Other`
//	`Name` in `<folder>/<file>.go`, or in `<folder>`
//	`Name` (`<file>.go`)
//	a row of a table with the columns File and Function
//
// has to be declared there, and so has `pkg.Name` where pkg is a package of ours. Paths
// that .gitignore has are made by a command and not looked for. What `make` is asked for
// has to be a target of the Makefile, and what the README says that a target takes is what
// make help says.
//
// What a sentence claims of the code is beyond these tests: whoever changes the code
// reads the sentences that name it.
package docs
