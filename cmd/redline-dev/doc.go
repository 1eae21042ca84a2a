// Command redline-dev runs the whole service on this machine: Postgres,
// Temporal with its UI and Weaviate, a receiver for webhooks and mails, and the
// service itself on top. It is what `make run` starts.
//
//	redline-dev [--data=<folder>] [--ports=free] [--services=<list>] [--reset]
//	redline-dev --fetch
//
// Package stack puts it together; the packages beside it know one server or one
// thing each. The service is the program redline that lies in the same folder,
// run as a child: nothing of the service is linked but leaves of internal, and
// the service links nothing of this.
package main
