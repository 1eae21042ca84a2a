package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// mail is what the catcher of a development stack keeps of a mail.
type mail struct {
	N       int      `json:"n"`
	At      string   `json:"at"`
	From    string   `json:"from"`
	To      []string `json:"to"`
	Subject string   `json:"subject"`
	Text    string   `json:"text"`
}

// mails shows the mails that the catcher of a development stack has caught: of every workspace of
// that machine, so elsewhere there is none.
func (c *Console) mails(v *visit) (*page, error) {
	if c.options.Mails == "" {
		return nil, errNowhere
	}
	found, err := readMails(v.ctx, c.options.Mails)
	if err != nil {
		return nil, fmt.Errorf("the catcher of mails: %w", err)
	}
	view := struct {
		Items []mail
		Next  string
	}{}
	slices.Reverse(found)
	before, _ := strconv.Atoi(v.asked("cursor"))
	for _, each := range found {
		if before == 0 || each.N < before {
			view.Items = append(view.Items, each)
		}
	}
	if len(view.Items) > rows {
		view.Items = view.Items[:rows]
		view.Next = to("/mails", "cursor", strconv.Itoa(view.Items[rows-1].N))
	}
	return &page{Title: "Mails caught", Template: "mails", Section: "/mails", Data: view}, nil
}

func readMails(ctx context.Context, address string) ([]mail, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answered %s", answer.Status)
	}
	var found struct {
		Items []mail `json:"items"`
	}
	err = json.NewDecoder(answer.Body).Decode(&found)
	return found.Items, err
}
