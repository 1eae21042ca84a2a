// Package embed turns texts into unit vectors whose cosine says how alike the
// texts are in meaning.
//
// There are three providers behind the interface Embedder. Local runs two
// sentence models of 384 dimensions inside the process, without network: one for
// knowledge and questions to it, and for judgments and what they are asked about
// (Use) both, one vector behind the other: what two models find alike is seldom so
// by chance. The second one takes twice the time of the first. They are part of the program, the ONNX runtime is a library that is loaded at
// run time (package ortlib finds it). HTTP asks an endpoint that speaks the
// OpenAI form. Lexical hashes words and knows no meaning; it is chosen only by
// name.
//
// The local models quantise their activations by batch, so a text beside others
// in one run would get another vector than alone. Every text is therefore a run
// of its own on one thread, with as many runs at once as there are cores.
// Passages and reviews run behind whatever else the machine does and have slots of
// their own, so a query never waits for one, however many are being embedded.
//
// A text longer than the model's input is embedded in windows whose vectors are
// averaged, so no word is dropped. The package keeps the vectors of the questions
// that were asked last, as long as their model is the same, so that a question
// that is asked again costs nothing; which passages were embedded before is for
// the caller to remember.
package embed
