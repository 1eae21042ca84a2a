// Package mail holds the mails that are to be sent to people, and a workspace's
// settings of its e-mail service.
//
// A commit calls QueueDrafts on its own transaction: a mail is stored with its
// delivery, as far as the service and the trigger of its template are on. What a
// mail about a comment says, and whether its recipient may still see that and is still
// tagged, is decided when it leaves (Mails.Prepare). How one ended is written by the delivery
// engine, by the statement that this package gives it (DeliveryRows). The text of
// a mail goes when it ends.
//
// Steps of executions send their mails by themselves: they are prepared here, by the
// same settings and the same quota, and what became of each recipient is kept, so that
// a later try of the step passes over those who were reached (step_mails.go).
//
// A mail about a comment may have to wait after its commit, and may leave with others: when it is due it joins the
// open batch of its recipient, a mail of its own that is due when its window ends or when it is full (batch.go).
//
// Tables: mails, mail_batches, email_settings, step_mails, relay_uses.
//
// Locks, in this order: the row of email_settings, the destination of the
// workspace's mails, deliveries, mails. Once an update that switches something off
// returns, no mail starts that it stops.
//
// It must not send anything, nor write deliveries by itself.
package mail
