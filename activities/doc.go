// Package activities holds the side effects that workflows ask for: one small
// struct per capability with narrow interfaces to the rows and to the outside.
//
// An activity is tried again by the engine whenever its process died, so each
// one begins by asking the rows what there is to do, and its result is what the
// rows say afterwards. What fails on the outside is an outcome for the rows and
// not an error of the activity.
//
// A cancelled context does not mean stop: the SDK cancels it when heartbeats
// fail, which they also do while the engine is away. Calls and commits run on a
// context without cancellation and with a limit of their own.
//
// Deliveries are drawn in groups: one activity per destination draws due rows,
// sends them side by side and draws again for some seconds, nudged in process by
// the commits that queue more. Slots, the order of first attempts and the
// recorder, which writes outcomes of all destinations together, belong to the
// process and not to an activity: requests under way outlive it.
//
// Errors go to the engine through engineError only: a sentence and the status,
// never a cause, because histories are read by people and secrets must not be
// in them.
package activities
