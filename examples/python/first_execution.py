from http.server import BaseHTTPRequestHandler, HTTPServer
from redline import Redline, verify

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        print("received", verify(secret, self.headers, body)["event"])
        self.send_response(204)
        self.end_headers()

client, server = Redline(), HTTPServer(("127.0.0.1", 0), Receiver)
client.workspace.update_advanced_webhook_config({"isEnabled": True})
address = f"http://127.0.0.1:{server.server_port}/"
endpoint = client.endpoints.create({"url": address, "filterTypes": ["execution.completed"]})["id"]
secret = client.endpoints.get_secret({"endpointId": endpoint})["secret"]
execution = client.executions.dispatch({"definitionId": "editorial-sign-off"})["executionId"]
step = client.wait_for_step({"executionId": execution, "reviewerId": "u_editor"})["stepId"]
client.steps.record_reviewer_decision({"executionId": execution, "stepId": step, "reviewerId": "u_editor", "decision": "approve"})
server.handle_request()
client.endpoints.delete({"endpointId": endpoint})
