import threading
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from standardwebhooks import Webhook

from redline import Redline, WebhookVerificationError, verify

client = Redline()
came = []
told = threading.Event()


# [receiver]
class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = verify(secret, self.headers, body)  # the very bytes that came
        except WebhookVerificationError:
            return self.answer(400)
        handle(event, self.headers["webhook-id"])
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()
# [end]


def handle(event, message):
    came.append((message, event))
    told.set()


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/"

# [register]
client.workspace.update_advanced_webhook_config({"isEnabled": True})
endpoint = client.endpoints.create({"url": address, "filterTypes": ["comment.add", "execution.completed"]})["id"]
secret = client.endpoints.get_secret({"endpointId": endpoint})["secret"]
client.endpoints.test({"endpointId": endpoint, "eventType": "comment.add"})
# [end]
assert told.wait(60)
client.endpoints.delete({"endpointId": endpoint})


def sends(key, at, signed, body):
    """Sends what somebody else might send; the answer's status."""
    headers = {
        "webhook-id": "msg_1", "webhook-timestamp": str(int(at.timestamp())), "webhook-signature": Webhook(key).sign("msg_1", at, signed),
    }
    return httpx.post(address, headers=headers, content=body).status_code


now, text = datetime.now(timezone.utc), '{"event":"comment.add"}'
other = "whsec_" + "A" * 43 + "="
print(
    came[0][1]["event"], sends(secret, now, text, text), sends(other, now, text, text),
    sends(secret, now - timedelta(hours=1), text, text), sends(secret, now, text, text + " "),
)
