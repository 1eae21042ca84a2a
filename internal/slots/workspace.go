package slots

import "context"

type workspaceKey struct{}

// For returns a context of what is done for a workspace. The id is read when slots are
// asked for, so it may become known later; empty is nobody's, which counts as one workspace.
func For(ctx context.Context, workspaceID *string) context.Context {
	return context.WithValue(ctx, workspaceKey{}, workspaceID)
}

// WorkspaceOf returns for whom something is done by a context, empty where nobody is known.
func WorkspaceOf(ctx context.Context) string {
	if workspaceID, ok := ctx.Value(workspaceKey{}).(*string); ok {
		return *workspaceID
	}
	return ""
}
