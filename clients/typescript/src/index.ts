import { Caller, type CallOptions, type Options, sleep } from "./caller.js";
import { RedlineError, readError } from "./error.js";
import { Resources } from "./operations.js";
import type {
  Execution, IngestProgress, IngestStatus, ListStepsRequest, ListedStep, Migration, UploadUrlRequest,
} from "./schema.js";

export type { CallOptions, Options } from "./caller.js";
export { RedlineError } from "./error.js";
export type * from "./schema.js";
export { type WebhookEvent, verify, verifySignature } from "./webhook.js";

/** A file on its way into the knowledge base. */
export interface Upload {
  fileName: string;
  mimeType: UploadUrlRequest["mimeType"];
  content: Blob | Uint8Array<ArrayBuffer> | string;
  organizationId?: string;
  documentId?: string;
  /** Called while the file is read and indexed. */
  progress?: (progress: IngestProgress) => void;
}

/** Calls one service with one caller's credentials. */
export class Redline extends Resources {
  private readonly caller: Caller;

  /** Without options: the service and the caller that the environment names. */
  constructor(options: Options = {}) {
    const caller = new Caller(options);
    super(caller);
    this.caller = caller;
  }

  /** Makes any call: for shapes that have no type here. It is made again only where it was refused for now. */
  call<R>(path: string, data: unknown, options?: CallOptions): Promise<R> {
    return this.caller.call<R>({ path }, data, options);
  }

  /** Returns the first step of a list of steps, once there is one. */
  async waitForStep(data: ListStepsRequest, options: CallOptions = {}): Promise<ListedStep> {
    return until(options, async () => (await this.steps.list(data, options)).items[0]);
  }

  /** Returns an execution once it has ended, well or not (see its status). It may wait for people: bound it by a signal. */
  async waitForExecution(executionId: string, options: CallOptions = {}): Promise<Execution> {
    return until(options, async () => {
      const seen = await this.executions.get({ executionId }, options);
      return seen.status === "pending" || seen.status === "running" ? undefined : seen;
    });
  }

  /** Returns the state of a source once its newest version is searchable or has failed. */
  async waitForIngestion(sourceId: string, options: CallOptions & Pick<Upload, "progress"> = {}): Promise<IngestStatus> {
    return until(options, async () => {
      const seen = await this.knowledge.ingestStatus({ sourceId }, options);
      options.progress?.(seen.progress);
      return seen.status === "processing" ? undefined : seen;
    });
  }

  /** Returns a migration of a document once it has ended, well or not. */
  async waitForMigration(organizationId: string, migrationId: string, options: CallOptions = {}): Promise<Migration> {
    return until(options, async () => {
      const seen = await this.documents.migrateStatus({ organizationId, migrationId }, options);
      return seen.status === "completed" || seen.status === "failed" ? seen : undefined;
    });
  }

  /** Brings a file into the knowledge base and returns its source once it is searchable or has failed. */
  async upload(upload: Upload, options: CallOptions = {}): Promise<IngestStatus> {
    const { fileName, mimeType, organizationId, documentId } = upload;
    const content = new Blob([upload.content], { type: mimeType });
    const address = await this.knowledge.uploadUrl({ fileName, mimeType, fileSize: content.size, organizationId, documentId }, options);
    const answer = await this.caller.fetch(address.uploadUrl, {
      method: "PUT", headers: { "content-type": mimeType }, body: content, signal: options.signal ?? null,
    });
    if (!answer.ok) throw readError(answer, await answer.text());
    const taken = await this.knowledge.ingest({ source: "fileRef", fileRef: address.fileRef, mimeType, organizationId, documentId }, options);
    return this.waitForIngestion(taken.sourceId, { ...options, progress: upload.progress });
  }
}

/** Reports whether an error is a refusal because something is not there. */
export function isNotFound(error: unknown): boolean {
  return error instanceof RedlineError && error.status === "NOT_FOUND";
}

/** Looks again and again, with pauses that double to 2 s, until it sees something. */
async function until<T>(options: CallOptions, look: () => Promise<T | undefined>): Promise<T> {
  for (let wait = 250; ; wait = Math.min(2 * wait, 2000)) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await sleep(wait, options.signal);
  }
}
