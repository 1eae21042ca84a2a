// Package embedder answers as an embedding model over HTTP does (the embeddings
// operation of OpenAI, which Ollama, TEI and vLLM serve too), with vectors that a test
// or a benchmark makes up. It must not know what the vectors are for.
package embedder
