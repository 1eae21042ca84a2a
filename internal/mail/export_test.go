package mail

import "time"

// Within makes tries end after that time.
func (c *Client) Within(limit time.Duration) *Client {
	c.limit = limit
	return c
}
