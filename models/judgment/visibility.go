package judgment

import "github.com/redline-svc/redline/models/subject"

// What is hidden from everybody: judgments about something removed, and those of users who
// left their organization since. Shown by themselves are the rows of j in a statement that
// looks at many of the workspace $1.
var (
	shownAmong  = subject.ShownAmong(subject.Judgments, "j.organization_key", "j.document_key") + " AND " + stayedAmong
	stayedAmong = subject.StayedAmong("j.organization_key", "j.user_id", "j.key")
)

// shownRow is the condition on one row of a table of judgments.
func shownRow(of string) string {
	return subject.Shown(of+".organization_key", of+".document_key") + " AND " + stayed(of)
}

func stayed(of string) string {
	return subject.Stayed(of+".organization_key", of+".user_id", of+".key")
}
