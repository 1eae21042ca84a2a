module github.com/redline-svc/redline/clients/go

go 1.26

require github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
