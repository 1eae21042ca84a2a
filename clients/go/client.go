package redline

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// The usual limits of a call: of one try, longer than any answer may take (30 s to read the
// body and 30 s to answer), and how many tries follow the first.
const (
	usualTimeout = 70 * time.Second
	usualRetries = 4
)

// Client calls one service with one caller's credentials. It may be used from many goroutines.
type Client struct {
	resources
	baseURL string
	// key and workspace are the headers of the two kinds of credentials, header those of every call.
	key, workspace, header map[string]string
	http                   *http.Client
	timeout                time.Duration
	retries                int
	pause                  func(try int) time.Duration
}

// Option changes how a Client calls.
type Option func(*Client)

// WithBaseURL replaces REDLINE_URL: the address of the service, with or without a slash at its
// end.
func WithBaseURL(address string) Option {
	return func(c *Client) { c.baseURL = strings.TrimSuffix(address, "/") }
}

// WithAPIKey replaces REDLINE_API_KEY and REDLINE_AUTH_TOKEN.
func WithAPIKey(key, token string) Option {
	return func(c *Client) { c.key = map[string]string{"x-svc-api-key": key, "x-svc-auth-token": token} }
}

// WithWorkspace replaces REDLINE_WORKSPACE_ID and REDLINE_WORKSPACE_TOKEN, with which the keys of
// a workspace are managed.
func WithWorkspace(id, token string) Option {
	return func(c *Client) {
		c.workspace = map[string]string{"x-svc-workspace-id": id, "x-svc-workspace-auth-token": token}
	}
}

// WithHeader sends one more header with every call, in place of one that the client would send.
func WithHeader(name, value string) Option {
	return func(c *Client) { c.header[name] = value }
}

// WithHTTPClient sends by another client of HTTP than http.DefaultClient.
func WithHTTPClient(client *http.Client) Option { return func(c *Client) { c.http = client } }

// WithTimeout replaces the limit of one try, 70 s.
func WithTimeout(limit time.Duration) Option { return func(c *Client) { c.timeout = limit } }

// WithRetries replaces how many tries follow the first, 4.
func WithRetries(n int) Option { return func(c *Client) { c.retries = n } }

// New returns a client of the service and the caller that the environment names: REDLINE_URL,
// REDLINE_API_KEY with REDLINE_AUTH_TOKEN, REDLINE_WORKSPACE_ID with REDLINE_WORKSPACE_TOKEN.
// Error: there is no address, or it is none of http or https.
func New(options ...Option) (*Client, error) {
	c := &Client{
		baseURL: strings.TrimSuffix(os.Getenv("REDLINE_URL"), "/"), header: map[string]string{},
		http: http.DefaultClient, timeout: usualTimeout, retries: usualRetries, pause: pause,
	}
	WithAPIKey(os.Getenv("REDLINE_API_KEY"), os.Getenv("REDLINE_AUTH_TOKEN"))(c)
	WithWorkspace(os.Getenv("REDLINE_WORKSPACE_ID"), os.Getenv("REDLINE_WORKSPACE_TOKEN"))(c)
	for _, option := range options {
		option(c)
	}
	address, err := url.Parse(c.baseURL)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Host == "" {
		return nil, errors.New("redline: the address of the service is missing or no http or https: set REDLINE_URL")
	}
	c.resources = newResources(c)
	return c, nil
}
