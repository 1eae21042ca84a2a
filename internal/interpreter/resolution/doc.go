// Package resolution weighs what an agent, or somebody for it, says of a step: which of the
// recorded resolutions settles it, and how.
//
// A Work is what a step of an agent has beside its state. Take notes what the agent's answer
// to its call said: that settles the step, or a blocking agent announces there for which
// responses it waits. Settling asks the policy of the node: the first resolution of an agent
// that is not blocking settles the step, of a blocking one that with which the policy is met
// or cannot be met any more. A resolution that came while the call was under way is kept with
// its output and shows that the agent took the call.
//
// It changes no step and writes no event: what follows from a resolution, the interpreter says.
package resolution
