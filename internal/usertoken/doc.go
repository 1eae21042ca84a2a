// Package usertoken signs tokens by which a caller's users are known, and checks them.
//
//	signer := usertoken.New(box, "https://redline.example.com")
//	token, err := signer.Sign(workspaceID, claims, now.Add(time.Hour))
//	claims, reason := signer.Verify(workspaceID, token, now)
//
// A token is a JWT (RFC 7519) with HS256. Its keys are derived from the hash keys for this use
// alone, and the header kid names which: so tokens go on being valid while hash keys rotate, as
// long as their key is listed. Nothing is stored of a token, so it cannot be called back.
//
// What a token says is the word of the caller who had it made. The package must not know what
// that is good for.
package usertoken
