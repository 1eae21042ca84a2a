package mail

import (
	"bytes"
	"time"
)

// Within makes tries end after that time.
func (c *Client) Within(limit time.Duration) *Client {
	c.limit = limit
	return c
}

// Raw is the message as it is handed over.
func (m Message) Raw(name string) (string, error) {
	written, err := m.written(m.From, m.To, name)
	if err != nil {
		return "", err
	}
	var raw bytes.Buffer
	_, err = written.WriteTo(&raw)
	return raw.String(), err
}
