import { parse } from "./caller.js";
import type { Issue, Problem } from "./schema.js";

/** A refused call. */
export class RedlineError extends Error {
  override readonly name = "RedlineError";
  /** The published word, such as NOT_FOUND; empty when something between answered. */
  readonly status: Problem["status"] | "";
  /** A stable word in kebab-case; a later service may have further ones. */
  readonly reason: Problem["details"]["reason"] | "";
  /** The faults of the request, each with the path of its field below data. */
  readonly issues: Issue[];
  /** The ids that the refusal is about, beside reason and issues. */
  readonly details: Partial<Problem["details"]>;

  constructor(
    /** The code that came with it. */
    readonly httpStatus: number,
    problem: Problem | undefined,
    /** What to name when asking about this call. */
    readonly requestId: string,
    /** How many milliseconds to wait before the call may pass; undefined where nothing is said. */
    readonly retryAfter: number | undefined,
  ) {
    const text = problem?.message ?? "not an answer of the service";
    const issues = problem?.details.issues ?? [];
    const named = issues.filter((issue) => !text.includes(issue.message)).map((issue) => `; ${issue.path.join(".")}: ${issue.message}`);
    super(`redline: ${httpStatus} ${problem?.status ?? ""}: ${text}${named.join("")} (${problem?.details.reason ?? ""}, request ${requestId})`);
    this.status = problem?.status ?? "";
    this.reason = problem?.details.reason ?? "";
    this.issues = issues;
    this.details = problem?.details ?? {};
  }
}

/** Makes an error of an answer that is no success. */
export function readError(answer: Response, text: string): RedlineError {
  const seconds = Number.parseInt(answer.headers.get("retry-after") ?? "", 10);
  const problem = parse(text)?.["error"] as Problem | undefined;
  return new RedlineError(answer.status, problem, answer.headers.get("x-request-id") ?? "", Number.isNaN(seconds) ? undefined : seconds * 1000);
}
