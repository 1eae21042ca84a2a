"""Calls a Redline service: comment annotations, a review memory and durable workflow executions.

    from redline import Redline

    client = Redline()  # REDLINE_URL, REDLINE_API_KEY, REDLINE_AUTH_TOKEN
    started = client.executions.dispatch({"definitionId": "editorial"})
    ended = client.wait_for_execution(started["executionId"])

A method returns what the operation answers with, without its envelope, or raises RedlineError. AsyncRedline has the
same methods, awaited. A list that pages has a method ending in _all that iterates over all of it.
"""

from ._async import AsyncRedline
from ._error import RedlineError
from ._sync import Redline
from ._webhook import WebhookEvent, WebhookVerificationError, verify, verify_signature

__all__ = [
    "AsyncRedline",
    "Redline",
    "RedlineError",
    "WebhookEvent",
    "WebhookVerificationError",
    "verify",
    "verify_signature",
]
