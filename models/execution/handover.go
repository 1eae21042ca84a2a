package execution

// Handover passes one poke from the commit that owes it straight to the relay of
// this process. It is called once: with the poke after the commit, or with nil
// when there is none.
type Handover func(p *Poke)

// OnPokes sets who takes fresh pokes. room gives nil while there is no room.
func (e *Executions) OnPokes(room func() Handover) { e.onPokes.Store(&room) }

func (e *Executions) roomForPoke() Handover {
	if room := e.onPokes.Load(); room != nil {
		return (*room)()
	}
	return nil
}

// reserve finds room for the poke that is owed at once with the relay of this
// process. The mark is written as claimed, which spares the relay's statement and
// its way; should the process die, others send the poke when the claim runs out.
func (e *Executions) reserve(l *state) {
	if l.pokeAt == nil || !l.pokeAt.Equal(l.now) {
		return
	}
	if l.handover = e.roomForPoke(); l.handover != nil {
		claimed := l.now.Add(claimFor)
		l.pokeAt = &claimed
	}
}

// submit passes on the poke that was committed, if there is room for one.
func (l *state) submit() {
	if l.handover == nil {
		return
	}
	take := l.handover
	l.handover = nil
	take(&Poke{
		WorkspaceID: l.workspaceID, ExecutionID: l.state.ExecutionID, WorkflowID: l.workflowID,
		DefinitionID: l.definitionID, DefinitionName: l.definitionName, DefinitionVersion: l.definitionVersion,
		CorrelationID: l.correlationID, Status: string(l.state.Status), Revision: *l.pokeDue,
		Started: l.runStarted, Ended: l.state.Status.Final(), TraceParent: l.traceParent,
	})
}

// release gives up the room for a poke that was not handed over: whoever looks at
// an execution defers it, so that neither an error nor a panic keeps the room.
func (l *state) release() {
	if l.handover != nil {
		l.handover(nil)
	}
}
