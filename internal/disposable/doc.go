// Package disposable knows the domains of throw-away e-mail addresses.
//
// domains.txt is the list of the npm package disposable-email-domains 1.0.62
// (MIT, see domains.LICENSE): its exact names and its wildcards, in lower case
// as A-labels, sorted, one a line. It is searched where it lies in the binary,
// so it costs neither memory nor time at the start. go generate makes it again
// from index.json and wildcard.json of the unpacked package.
//
// An operator adds names and excepts names by two files of one domain a line,
// which are read at the start and again when the process gets SIGHUP. A listed
// name covers everything below it; of a name's parents the nearest one that is
// excepted or listed decides.
//
// The package must not know what a refusal means to the caller.
package disposable

//go:generate go run ./generate index.json wildcard.json
