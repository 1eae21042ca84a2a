package directory

// Contact is how a tagged user is reached.
type Contact struct {
	UserID  string        `json:"userId"`
	Contact ContactPerson `json:"contact"`
}

// ContactPerson is the person of a contact; what is not known is left out.
type ContactPerson struct {
	UserID string  `json:"userId"`
	Name   *string `json:"name,omitempty"`
	Email  *string `json:"email,omitempty"`
}
