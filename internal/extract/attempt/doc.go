// Package attempt converts a file by converters that a file may crash or hang: each
// try has a fresh converter, and after the third one the file counts as corrupt or
// as too slow. What the tries take together is limited, without the time in which
// they wait for their converter.
//
// The package knows neither files nor converters.
package attempt
