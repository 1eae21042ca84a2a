// Package secret seals values for rest and makes keyed hashes.
//
// A Box holds the keys of the process. Seal and Open are AES-256-GCM with a
// fresh nonce; the sealed bytes name their key, and the Binding (table, column,
// row, workspace) is bound to them, so a value copied into another row does not
// open there. MAC is HMAC-SHA-256 under a key derived by HKDF from the first
// hash key with the use as info, so a hash made for one use says nothing in
// another.
//
// The first key of each list writes, all of them read. That is how keys rotate
// without downtime: add the new one at the end everywhere, move it to the
// front everywhere, rewrap what is left under the old one, drop the old one.
//
// The package must not know tables, configuration names or logging, and no
// error of it ever quotes a key or a value.
package secret
