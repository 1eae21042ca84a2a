import { RedlineError, readError } from "./error.js";
import { eachHolder, newId } from "./ids.js";

/** What a call needs to know beside its shapes, as the document says it. */
export interface Operation {
  path: string;
  /** It is called with the workspace's credentials, not a key's. */
  workspace?: boolean;
  /** A second call changes nothing more. Where it would, ids are made before the first. */
  safe?: boolean;
  ids?: { path: string; integer?: boolean }[];
  /** What a call whose answer was lost is known to have done, once it is refused as done. */
  committed?: (data: Data) => unknown;
}

/** How a list pages: the field that goes on, and where the result has items and what goes on. */
export interface Pages {
  request: string;
  items: string;
  next: string;
  done?: string;
}

export type Data = Record<string, unknown>;

/** Options of one call. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
}

/** Options of a client; what is missing is read from the environment. */
export interface Options {
  /** REDLINE_URL: the address of the service. */
  baseUrl?: string;
  /** REDLINE_API_KEY and REDLINE_AUTH_TOKEN. */
  apiKey?: string;
  authToken?: string;
  /** REDLINE_WORKSPACE_ID and REDLINE_WORKSPACE_TOKEN, with which the keys of a workspace are managed. */
  workspaceId?: string;
  workspaceToken?: string;
  /** The limit of one try in milliseconds: 70,000, longer than any answer may take. */
  timeout?: number;
  /** How many tries follow the first: 4. */
  retries?: number;
  /** Sends by another fetch than the global one. */
  fetch?: typeof fetch;
  /** The milliseconds before the next try; by default a random time that grows to 8 s. */
  pause?: (attempt: number) => number;
}

/** Up to 0.25 s, 0.5 s, 1 s and so on to 8 s, at random: callers refused together come back apart. */
function pause(attempt: number): number {
  return Math.random() * Math.min(250 * 2 ** attempt, 8000);
}

const env = (name: string): string => globalThis.process?.env?.[name] ?? "";

/** Makes calls, with their tries. */
export class Caller {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  private readonly key: Record<string, string>;
  private readonly workspace: Record<string, string>;
  private readonly timeout: number;
  private readonly retries: number;
  private readonly pause: (attempt: number) => number;

  constructor(options: Options) {
    this.baseUrl = (options.baseUrl ?? env("REDLINE_URL")).replace(/\/$/, "");
    if (!/^https?:\/\/[^/]/.test(this.baseUrl)) {
      throw new Error("redline: the address of the service is missing or no http or https: set REDLINE_URL");
    }
    this.key = {
      "x-svc-api-key": options.apiKey ?? env("REDLINE_API_KEY"),
      "x-svc-auth-token": options.authToken ?? env("REDLINE_AUTH_TOKEN"),
    };
    this.workspace = {
      "x-svc-workspace-id": options.workspaceId ?? env("REDLINE_WORKSPACE_ID"),
      "x-svc-workspace-auth-token": options.workspaceToken ?? env("REDLINE_WORKSPACE_TOKEN"),
    };
    this.timeout = options.timeout ?? 70_000;
    this.retries = options.retries ?? 4;
    this.fetch = options.fetch ?? fetch;
    this.pause = options.pause ?? pause;
  }

  /** Makes a call and returns its result. */
  async call<R>(operation: Operation, input: unknown, options: CallOptions = {}): Promise<R> {
    const data = structuredClone(input ?? {}) as Data;
    const ids = makeIds(operation, data);
    const body = JSON.stringify({ data });
    for (let attempt = 0, lost = false; ; attempt++) {
      try {
        return await this.attempt<R>(operation, body, options.signal);
      } catch (error) {
        const refused = error instanceof RedlineError ? error : undefined;
        if (lost && ids.made && refused?.status === "ALREADY_EXISTS" && operation.committed) {
          return operation.committed(data) as R;
        }
        lost ||= !refused || refused.httpStatus >= 500;
        const wait = waitBefore(refused, operation.safe || ids.found, this.pause(attempt));
        if (wait === undefined || attempt >= this.retries || options.signal?.aborted) throw error;
        await sleep(wait, options.signal);
      }
    }
  }

  /** Walks over all items of a list, page by page. */
  async *walk<T>(operation: Operation, pages: Pages, input: unknown, options: CallOptions = {}): AsyncGenerator<T, void, undefined> {
    const data = { ...(input as Data) };
    for (;;) {
      const result = await this.call<unknown>(operation, data, options);
      const items = (Array.isArray(result) ? result : at(result, pages.items)) as T[];
      yield* items;
      const next = at(result, pages.next);
      const done = pages.done ? at(result, pages.done) === true : at(result, "hasMore") === false;
      if (done || next === undefined || next === null || next === "") return;
      data[pages.request] = next;
    }
  }

  private async attempt<R>(operation: Operation, body: string, signal?: AbortSignal): Promise<R> {
    const limit = AbortSignal.timeout(this.timeout);
    const answer = await this.fetch(this.baseUrl + operation.path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(operation.workspace ? this.workspace : this.key) },
      body,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const text = await answer.text();
    if (!answer.ok) throw readError(answer, text);
    const envelope = parse(text);
    if (envelope === undefined || !("result" in envelope)) throw readError(answer, "");
    return envelope["result"] as R;
  }
}

/** How long to wait before the next try; undefined where there is none. Refused by a limit, a call changed nothing. */
function waitBefore(refused: RedlineError | undefined, repeatable: boolean, pause: number): number | undefined {
  if (!refused) return repeatable ? pause : undefined;
  if (refused.httpStatus === 429) return refused.retryAfter ? Math.max(refused.retryAfter, pause) : undefined;
  if (refused.httpStatus >= 502) return repeatable ? Math.max(refused.retryAfter ?? 0, pause) : undefined;
  return undefined;
}

/** Makes the ids that are missing: found says that there is one, made that all were made here. */
function makeIds(operation: Operation, data: Data): { found: boolean; made: boolean } {
  const ids = { found: false, made: true };
  for (const id of operation.ids ?? []) {
    eachHolder(data, id.path.split("."), (holder, field) => {
      ids.found = true;
      if (holder[field] === undefined || holder[field] === null) holder[field] = newId(id.integer);
      else ids.made = false;
    });
  }
  return { found: ids.found, made: ids.found && ids.made };
}

export function parse(text: string): Data | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Data) : undefined;
  } catch {
    return undefined;
  }
}

function at(of: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Data | undefined | null)?.[name], of);
}

/** Ends after so many milliseconds, or with the signal. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}

