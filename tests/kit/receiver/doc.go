// Package receiver is the other end of a webhook: an https server on loopback
// under the name receiver.test, with a certificate of the development authority
// that the stack under test trusts.
//
// Every request is kept, bytes as they came, and can be waited for. How a
// path answers can be set (a status, a body, never), and a gate holds requests
// until the test lets them go, so that a process can be killed while a call is
// on the wire. Verify checks a request against the secret as a customer would,
// with the official Standard Webhooks library and the plain HMAC header.
package receiver
