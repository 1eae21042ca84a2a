from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RedlineError(Exception):
    """A refused call."""

    status: str
    """The published word, such as NOT_FOUND; empty when something between answered."""
    http_status: int
    """The code that came with it."""
    message: str
    """What is wrong, for a person."""
    reason: str
    """A stable word in kebab-case, of those that types.ErrorDetails lists; a later service may have further ones."""
    issues: list[dict[str, Any]]
    """The faults of the request: code, message, and the path of the field below data."""
    details: dict[str, Any]
    """The ids that the refusal is about, beside reason and issues."""
    request_id: str
    """What to name when asking about this call."""
    retry_after: float | None
    """How many seconds to wait before the call may pass; None where nothing is said."""

    def __init__(self, http_status: int, error: Any, headers: Mapping[str, str]) -> None:
        error = error if isinstance(error, dict) else {}
        self.http_status = http_status
        self.status = error.get("status", "")
        self.message = error.get("message", "not an answer of the service")
        self.details = error.get("details", {})
        self.reason = self.details.get("reason", "")
        self.issues = self.details.get("issues", [])
        self.request_id = headers.get("x-request-id", "")
        seconds = headers.get("retry-after", "")
        self.retry_after = float(seconds) if seconds.isdigit() else None
        named = [f"; {'.'.join(i['path'])}: {i['message']}" for i in self.issues if i["message"] not in self.message]
        super().__init__(
            f"{http_status} {self.status}: {self.message}{''.join(named)} ({self.reason}, request {self.request_id})"
        )
