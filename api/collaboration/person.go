package collaboration

import (
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
)

// maxUser bounds a user with the caller's own keys, in bytes of compact JSON.
const maxUser = 8 << 10

// UserData is a user as sent; other keys are kept as they are.
type UserData struct {
	UserID     string     `json:"userId" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann"`
	Name       *string    `json:"name,omitempty" maxLength:"200" example:"Ann"`
	Email      *string    `json:"email,omitempty" maxLength:"320" example:"ann@example.com" doc:"one that cannot be parsed is kept and never mailed to"`
	Initial    *string    `json:"initial,omitempty" maxLength:"8" example:"A" doc:"follows from the name when absent"`
	PhotoURL   *string    `json:"photoUrl,omitempty" maxLength:"2000" example:"https://example.com/ann.png"`
	AccessRole string     `json:"accessRole,omitempty" enum:"viewer,editor" example:"editor" doc:"default editor"`
	Rest       shape.Rest `json:"-"`
}

// issues are the faults that tags cannot say.
func (u UserData) issues(path ...string) []fault.Issue {
	if u.Rest.Size > maxUser {
		return []fault.Issue{{Code: shape.Length, Path: path, Message: "must be at most 8 KiB as JSON"}}
	}
	return nil
}

// issuesAt is issues of a user who may be absent.
func (u *UserData) issuesAt(path ...string) []fault.Issue {
	if u == nil {
		return nil
	}
	return u.issues(path...)
}

// person is the user as sent, null values included.
func (u UserData) person() person.Person {
	return person.Person{UserID: u.UserID, Name: u.Name, Email: u.Email, Initial: u.Initial, PhotoURL: u.PhotoURL, Extra: u.Rest.Members}
}

// whole is a user who is sent as they shall be, so that null means absent; nil is nobody.
func (u *UserData) whole() *person.Person {
	if u == nil {
		return nil
	}
	p := u.person().WithoutNulls()
	return &p
}
