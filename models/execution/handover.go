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

// submitPoke passes on the poke that was committed, if it has room.
func (s *state) submitPoke() {
	if s.poke.handover == nil {
		return
	}
	handover := s.poke.handover
	s.poke.handover = nil
	handover(&Poke{
		WorkspaceID: s.workspaceID, ExecutionID: s.walk.ExecutionID, WorkflowID: s.workflowID,
		DefinitionID: s.definitionID, DefinitionName: s.definitionName, DefinitionVersion: s.definitionVersion,
		CorrelationID: s.correlationID, Status: string(s.walk.Status), Revision: *s.poke.due,
		Started: s.poke.runStarted, Ended: s.walk.Status.Final(), TraceParent: s.traceParent,
	})
}
