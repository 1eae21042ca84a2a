from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any, TypedDict

from standardwebhooks import Webhook, WebhookVerificationError

__all__ = ["WebhookEvent", "WebhookVerificationError", "verify", "verify_signature"]


class WebhookEvent(TypedDict):
    """What a webhook endpoint is sent. Sort by sequence: the order of arrival is not promised."""

    event: str
    actionType: str
    source: str
    webhookId: str
    timestamp: str
    sequence: int
    data: dict[str, Any]


def verify(secret: str, headers: Mapping[str, str], body: bytes | str) -> WebhookEvent:
    """Checks a request to a webhook endpoint by the endpoint's secret (whsec_…) and returns what it says.

    The body is the very bytes that came. WebhookVerificationError: another secret, a changed body, or a timestamp
    further than five minutes from this machine's clock.
    """
    event: WebhookEvent = Webhook(secret).verify(body, {name.lower(): value for name, value in headers.items()})
    return event


def verify_signature(secret: str, headers: Mapping[str, str], body: bytes | str) -> bool:
    """Reports whether the header x-svc-signature of a call to an agent or of a webhook step fits.

    It is "sha256=" and the HMAC of the body in lower-case hex, keyed by the secret as it was set.
    """
    text = body.encode() if isinstance(body, str) else body
    want = "sha256=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()
    got = {name.lower(): value for name, value in headers.items()}.get("x-svc-signature", "")
    return hmac.compare_digest(want.encode(), got.encode())
