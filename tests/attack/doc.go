// Package attack sends requests that nobody would write by hand and looks at what comes back.
//
// A generator makes them from the document that the service publishes: examples and schemas
// filled with the ids of earlier answers, most of them with a fault somewhere. Schemathesis, a
// fuzzer for OpenAPI documents, makes as many others; it calls a proxy that looks at its calls
// in the same way. Whatever was asked, the answer has to be one of the document and no failure
// of the service, and a refused request must not have changed a row: triggers write down which
// rows the process of a caller changes, and each caller has one of its own.
//
// REDLINE_ATTACK is how many requests are made (make attack COUNT=100000); the long tests make
// a few. REDLINE_ATTACK_SEED is where chance begins, 1 where nothing is said: make attack takes
// another one each time and prints it, unless SEED says which.
package attack
