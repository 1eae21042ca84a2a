package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/redline-svc/redline/internal/contract"
)

func TestTheMailsOfAWorkspaceHaveARunOfItsName(t *testing.T) {
	t.Parallel()
	in := contract.DeliveryInput{WorkspaceID: "ws_1", DestinationID: "dst_1"}
	assert.Equal(t, "webhook/dst_1", in.WorkflowID())
	in.Kind = contract.KindReceiver
	assert.Equal(t, "webhook/dst_1", in.WorkflowID())
	in.Kind = contract.KindMail
	assert.Equal(t, "email/ws_1", in.WorkflowID())
}
