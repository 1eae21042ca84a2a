// Package ortlib finds the ONNX runtime library that the sentence model is run
// with: the configured file; else the system's; else the one inside the Go
// module sherpa-onnx-go of this operating system, which the go command fetches
// and of which a copy is kept in the user's cache folder.
//
// It must not load the library: that is for the one who runs the model.
package ortlib
