// Package agent is the registry of a workspace's agents: what calls them needs
// their address and secrets, what names them asks whether they are known.
//
// An agent is the caller's own id with a name, an address and a secret. Deleting
// it removes its row: the id is free again, and whatever was written before keeps
// the name that it had. After a change of the secret the former one is valid for
// another day beside it; a row of agent_secrets says until when.
//
// An agent's behaviour is an open object that the service interprets nowhere: each change of it makes a version, which
// never changes, and agents.version points at the one by which steps go that start now. They keep its number.
//
// A group names agents, registered and built-in ones, by their ids.
//
// Tables: agents, agent_versions, agent_secrets, agent_groups.
//
// Locks: an advisory lock of the workspace for a new agent, so that the quota is
// exact, and another one for a new group; then the agents' rows, FOR UPDATE to change or delete one, FOR KEY SHARE
// to put it into a group; then the rows of groups. Who calls an
// agent locks nothing: each call reads it as it is at that moment.
//
// It must not call an agent, nor know what steps or comments are.
package agent
