import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  problem,
  type CredentialResource,
  type ErrorCode,
  type IngestRejection,
  type RecordingMasking,
} from '@spandrel/contract';
import { random } from '../../support/random.ts';
import { until as waitUntil } from '../../support/spandrel.ts';

/** A span as the gateway sends it. */
export interface SentSpan {
  id: string;
  trace_id: string;
  parent_id: string | null;
  name: string;
  kind: Record<string, unknown>;
  input?: unknown;
  output?: { text: string | null; finish_reason: string | null; tool_calls?: unknown[] } | null;
  status: 'running' | 'completed' | { failed: { error: string } };
  started_at: string;
  ended_at?: string;
  metadata: Record<string, unknown>;
}

/** How the API behaves. */
type ApiMood = 'up' | 'hang' | 'unavailable' | 'flaky' | { status: number };

/** An API server that takes ingests idempotently into memory. */
export interface FakeApi {
  url: string;
  port: number;
  spans: Map<string, SentSpan>;
  traces: Map<string, Record<string, unknown>>;
  /** How often each span was announced as finished. */
  finishes: Map<string, number>;
  /** Spans that were announced as running. */
  announced: Set<string>;
  requests: number;
  /** Answers to checks of keys that wait for `mood` to be another, oldest first. */
  hungChecks: (() => void)[];
  /** Raw bodies, to look for what must not be in them. */
  bodies: string[];
  mood: ApiMood;
  /** Keys it takes (cloud mode); `null`: it asks for none. */
  keys: Map<string, CredentialResource> | null;
  /** Keys whose organization has no requests left, with the seconds of `Retry-After`. */
  limited: Map<string, number>;
  /** Keys whose deliveries it never answers. */
  hanging: Set<string>;
  /** Keys it was asked about. */
  checks: string[];
  /** Deliveries, by key and moment. */
  deliveries: { key: string | null; at: number }[];
  /** Under whose key each span came. */
  keyOf: Map<string, string | null>;
  /** How late it answers about keys. */
  checkDelayMs: number;
  /** What it says of the rules of every project. */
  masking: Pick<RecordingMasking, 'rules' | 'hash_key'>;
  /** Decides that a span is rejected. */
  reject: (span: SentSpan) => Omit<IngestRejection, 'index' | 'collection'> | undefined;
  bodyBytesMax: number;
  close(): Promise<void>;
}

export async function startFakeApi(): Promise<FakeApi> {
  const chance = random(1);
  const server: Server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => undefined);
    req.on('end', () => {
      if (req.url === '/api/credential' && api.checkDelayMs > 0) setTimeout(answer, api.checkDelayMs);
      else answer();
    });
    const answer = (): void => {
      const { mood } = api;
      if (mood === 'hang') {
        if (req.url === '/api/credential') api.hungChecks.push(answer);
        return;
      }
      if (req.url === '/api/masking') {
        answerRules(api, req.headers.authorization, res);
        return;
      }
      api.requests++;
      const body = Buffer.concat(chunks);
      const key = /^Bearer (.*)$/.exec(req.headers.authorization ?? '')?.[1] ?? null;
      if (req.url === '/api/credential') api.checks.push(String(key));
      if (req.url === '/api/health') res.end('{"status":"ok"}');
      else if (mood === 'unavailable') res.writeHead(503).end();
      else if (typeof mood === 'object') res.writeHead(mood.status).end();
      else if (api.keys && !api.keys.has(String(key))) refuse(res, 'unauthenticated');
      else if (req.url === '/api/credential') res.end(JSON.stringify(api.keys!.get(String(key))));
      else if (api.limited.has(String(key))) refuse(res, 'rate_limited', api.limited.get(String(key)));
      else if (api.hanging.has(String(key))) return;
      else if (body.length > api.bodyBytesMax) res.writeHead(413).end();
      else {
        api.deliveries.push({ key, at: performance.now() });
        const taken = ingest(api, body.toString(), key);
        // Half of the time the answer is lost after the work is done.
        if (mood === 'flaky' && chance(2) === 0) res.destroy();
        else res.setHeader('content-type', 'application/json').end(JSON.stringify(taken));
      }
    };
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  const api: FakeApi = {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    spans: new Map(),
    traces: new Map(),
    finishes: new Map(),
    announced: new Set(),
    requests: 0,
    hungChecks: [],
    bodies: [],
    mood: 'up',
    keys: null,
    limited: new Map(),
    hanging: new Set(),
    checks: [],
    deliveries: [],
    keyOf: new Map(),
    checkDelayMs: 0,
    masking: { rules: [], hash_key: null },
    reject: () => undefined,
    bodyBytesMax: 10 * 1024 * 1024,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return api;
}

/** A key as the API reports it. */
export const credentialOf = (given: Partial<CredentialResource>): CredentialResource => ({
  kind: 'api_key',
  id: 'key',
  org_id: 'org',
  project_id: 'project',
  scopes: ['ingest'],
  expires_at: null,
  ...given,
});

function answerRules(api: FakeApi, authorization: string | undefined, res: ServerResponse): void {
  const key = /^Bearer (.*)$/.exec(authorization ?? '')?.[1];
  if (api.mood === 'unavailable') res.writeHead(503).end();
  else if (typeof api.mood === 'object') res.writeHead(api.mood.status).end();
  else if (api.keys && !api.keys.has(String(key))) refuse(res, 'unauthenticated');
  else res.end(JSON.stringify({ project_id: 'project', ...api.masking }));
}

function refuse(res: ServerResponse, code: ErrorCode, retryAfter?: number): void {
  const answer = problem(code, 'no', 'request');
  res.writeHead(answer.status, {
    'content-type': 'application/problem+json',
    'retry-after': String(retryAfter ?? 0),
  });
  res.end(JSON.stringify(answer));
}

function ingest(api: FakeApi, text: string, key: string | null): unknown {
  api.bodies.push(text);
  const { traces, spans } = JSON.parse(text) as { traces: { id: string }[]; spans: SentSpan[] };
  const rejected: IngestRejection[] = [];
  for (const trace of traces) {
    api.traces.set(trace.id, { ...api.traces.get(trace.id), ...trace });
  }
  spans.forEach((span, index) => {
    const fault = api.traces.has(span.trace_id)
      ? api.reject(span)
      : { code: 'trace_not_found', message: 'The trace does not exist' };
    if (fault) {
      rejected.push({ index, collection: 'spans', ...fault });
      return;
    }
    api.keyOf.set(span.id, key);
    if (span.status === 'running') {
      api.announced.add(span.id);
      if (!api.spans.has(span.id)) api.spans.set(span.id, span);
    } else {
      api.spans.set(span.id, span);
      api.finishes.set(span.id, (api.finishes.get(span.id) ?? 0) + 1);
    }
  });
  return { accepted: { traces: traces.length, spans: spans.length - rejected.length }, rejected };
}

/** The spans that are finished, oldest first. */
export function finished(api: FakeApi): SentSpan[] {
  return [...api.spans.values()].filter(({ status }) => status !== 'running').sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Waits like the shared `until`, for at most 5 s unless another limit is given. */
export const until = (
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 5_000,
  describe = (): string => '',
): Promise<void> => waitUntil(condition, timeoutMs, () => `not in time: ${condition.toString()} ${describe()}`);

/** Waits for exactly so many finished spans. */
export async function recorded(api: FakeApi, count = 1, timeoutMs = 5_000): Promise<SentSpan[]> {
  await until(
    () => finished(api).length >= count,
    timeoutMs,
    () => JSON.stringify([...api.spans.values()]).slice(0, 2_000),
  );
  return finished(api);
}
