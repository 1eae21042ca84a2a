// Package activitytest has what tests of activities share: a site, which is one
// database with a workspace that two workers work on whose clocks are far apart,
// and the receivers that both of them call.
//
// Only tests use it.
package activitytest
