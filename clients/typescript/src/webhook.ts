import { createHmac, timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";

/** What a webhook endpoint is sent. Sort by sequence: the order of arrival is not promised. */
export interface WebhookEvent {
  event: string;
  actionType: string;
  source: string;
  webhookId: string;
  timestamp: string;
  sequence: number;
  data: Record<string, unknown>;
}

type Headers = Record<string, string | string[] | undefined>;

/**
 * Checks a request to a webhook endpoint by the endpoint's secret (whsec_…) and returns what it says. The body is the
 * very text that came. It throws for another secret, a changed body and a timestamp further than five minutes from
 * this machine's clock.
 */
export function verify(secret: string, headers: Headers, body: string | Buffer): WebhookEvent {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookEvent;
}

/**
 * Reports whether the header x-svc-signature of a call to an agent or of a webhook step fits: "sha256=" and the HMAC
 * of the body in lower-case hex, keyed by the secret as it was set.
 */
export function verifySignature(secret: string, headers: Headers, body: string | Buffer): boolean {
  const want = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
  const got = Buffer.from(String(headers["x-svc-signature"] ?? ""));
  return got.length === want.length && timingSafeEqual(want, got);
}
