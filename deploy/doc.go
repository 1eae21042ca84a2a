// Package deploy holds what is needed to run the service from container
// images: the Dockerfile and the configuration of the parts that the compose
// file at the root starts. There is no code; the test beside it compares the
// compose file, the Dockerfile and .env.example with the configuration and with
// what `redline-dev` runs.
package deploy
