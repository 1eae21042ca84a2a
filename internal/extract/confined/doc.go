// Package confined converts PDF files, CSV files and workbooks in a process of its own for
// each file: the program starts itself again, gives the file to the new process and reads
// from it what came of it. So a file that takes too much memory or time, crashes the
// converter or hangs it ends that process and nothing else.
//
// Converter is the side of the worker. It tries again what crashed or hung, kills what
// nobody waits for any more, and keeps the folder in which the process may write.
// Serve is the side of the process: once it is ready to convert it sets the bounds of
// memory and of the processor's time. A file that reaches one fails at once. Where a
// system does not hold such bounds (limits_other.go), only the clock does. What reads a whole text
// of a caller, a conversion, chunks and rules, is done here: so it ends with its context, whatever
// stands in the text.
//
// The process gets none of the program's variables, since they hold secrets.
package confined
