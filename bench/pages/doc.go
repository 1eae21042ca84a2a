// Package pages measures the console as its readers have it: headless Chromium opens each page as
// often as it takes for a percentile, and reads from it when something was painted; open pages are
// played by requests that ask for their live parts as often as a page does.
//
// It needs Chromium on the PATH (make test-console brings it) and a process that serves alone.
package pages
