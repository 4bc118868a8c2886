import type { IngestResult } from '@spandrel/contract';
import { Agent } from 'undici';
import type { SpoolItem } from './spool-item.js';

/** How the API took a batch. */
export type IngestAnswer =
  | { kind: 'taken'; result: IngestResult }
  /** Over a limit of size. */
  | { kind: 'too-large' }
  /** Refused as it is; sent again it would be refused again. */
  | { kind: 'refused'; message: string }
  /** The API does not know us, or is not one; only a person can help. */
  | { kind: 'denied'; message: string }
  /** Not now. */
  | { kind: 'unavailable'; message: string; retryAfterMs: number | null };

/** Sends batches to `POST /api/ingest` (contract.md "Spans"). */
export class IngestClient {
  private readonly agent: Agent;
  private readonly origin: string;
  private readonly basePath: string;
  private readonly headers: Record<string, string>;

  constructor(
    apiUrl: string,
    apiKey: string | null,
    private readonly timeoutMs: number,
  ) {
    const url = new URL(apiUrl);
    this.origin = url.origin;
    this.basePath = url.pathname.replace(/\/+$/, '');
    this.headers = {
      'content-type': 'application/json',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
    };
    this.agent = new Agent({
      connections: 4,
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  async send(batch: readonly SpoolItem[]): Promise<IngestAnswer> {
    try {
      const { statusCode, headers, body } = await this.agent.request({
        origin: this.origin,
        path: `${this.basePath}/api/ingest`,
        method: 'POST',
        headers: this.headers,
        body: batchBody(batch),
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      return readAnswer(statusCode, headers['retry-after'], await body.text());
    } catch (error) {
      return { kind: 'unavailable', message: messageOf(error), retryAfterMs: null };
    }
  }

  /** Whether the API answers at all. */
  async ping(): Promise<boolean> {
    try {
      const { statusCode, body } = await this.agent.request({
        origin: this.origin,
        path: `${this.basePath}/api/health`,
        method: 'GET',
        signal: AbortSignal.timeout(1_000),
      });
      await body.dump();
      return statusCode < 500;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** Joins what is JSON already. */
function batchBody(batch: readonly SpoolItem[]): string {
  const traces = batch.map(({ trace }) => trace).filter((trace) => trace !== null);
  return `{"traces":[${traces.join(',')}],"spans":[${batch.map(({ span }) => span).join(',')}]}`;
}

function readAnswer(status: number, retryAfter: string | string[] | undefined, text: string): IngestAnswer {
  if (status >= 200 && status < 300) return readResult(text);
  const message = `HTTP ${status}`;
  if (status === 413) return { kind: 'too-large' };
  if (status === 400 || status === 422) return { kind: 'refused', message };
  if (status === 408 || status === 429 || status >= 500) {
    const seconds = Number(retryAfter ?? NaN);
    return { kind: 'unavailable', message, retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : null };
  }
  return { kind: 'denied', message };
}

function readResult(text: string): IngestAnswer {
  try {
    const result = JSON.parse(text) as Partial<IngestResult> | null;
    if (result?.accepted !== undefined) {
      return { kind: 'taken', result: { accepted: result.accepted, rejected: result.rejected ?? [] } };
    }
  } catch {
    // Not the API's answer.
  }
  return { kind: 'denied', message: 'what answers is not the API' };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' ? code : error.name === 'TimeoutError' ? 'timed out' : error.message;
}
