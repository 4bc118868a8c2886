import { sharedDocuments } from './shared-documents.ts';
import { sendRequest, type Received, type RequestToSend } from './send-request.ts';
import type { Exchange, TrafficCheck } from './traffic-check.ts';

declare global {
  /** The check of a document, which all test files of a worker share (environment.cjs); absent outside of tests. */
  var trafficCheckOf: typeof TrafficCheck.of | undefined;
}

/** The check of each server, by its base URL; gone when the server says something else. */
const checks = new Map<string, Promise<TrafficCheck | undefined>>();

/** {@link sendRequest} with the check of {@link checkedFetch}. */
export async function checkedRequest(url: string, request: RequestToSend): Promise<Received> {
  const received = await sendRequest(url, request);
  const { origin } = new URL(url);
  await checkExchange(origin, {
    method: request.method,
    path: url.slice(origin.length),
    requestBody: request.body?.toString(),
    status: received.status,
    headers: { get: received.header },
    text: received.text,
  });
  return received;
}

/**
 * `fetch` of the API, where every answer, and every request that succeeds, must be as the OpenAPI document of servers in
 * its mode says; what that one has otherwise must be in the server's own, which may have fewer features.
 * @throws Error that names the difference.
 */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const bytes = await response.arrayBuffer();
  const { origin } = new URL(url);
  await checkExchange(origin, {
    method: init.method ?? 'GET',
    path: url.slice(origin.length),
    requestBody: typeof init.body === 'string' ? init.body : undefined,
    status: response.status,
    headers: response.headers,
    text: new TextDecoder().decode(bytes),
  });
  const body = bytes.byteLength === 0 ? null : bytes;
  return new Response(body, { status: response.status, headers: response.headers });
}

async function checkExchange(origin: string, exchange: Exchange): Promise<void> {
  let check = checks.get(origin);
  if (!check) checks.set(origin, (check = sharedCheck(origin)));
  const shared = await check;
  if (!shared) return void checks.delete(origin);
  try {
    shared.check(exchange);
  } catch (fault) {
    const text = await ownDocument(origin);
    if (text === undefined) throw fault;
    const own = (await import('./traffic-check.ts')).TrafficCheck.of(text);
    checks.set(origin, Promise.resolve(own));
    own.check(exchange);
  }
}

/** @returns `undefined` when the server is gone: a test may have killed it after its answer. */
async function sharedCheck(origin: string): Promise<TrafficCheck | undefined> {
  const mode = await modeOf(origin);
  const ask = (): Promise<string | undefined> => ownDocument(origin);
  const text = await (mode === undefined ? ask() : sharedDocuments.take(mode, ask));
  if (text === undefined) return undefined;
  const checkOf = globalThis.trafficCheckOf ?? (await import('./traffic-check.ts')).TrafficCheck.of;
  return checkOf(text);
}

/** What a server calls its mode; `undefined` when it is gone, or none of ours. */
async function modeOf(origin: string): Promise<'local' | 'cloud' | undefined> {
  const response = await fetch(`${origin}/api/health`).catch(() => undefined);
  const mode = response?.ok ? ((await response.json()) as { mode?: unknown }).mode : undefined;
  return mode === 'local' || mode === 'cloud' ? mode : undefined;
}

/** @returns `undefined` when the server is gone. */
async function ownDocument(origin: string): Promise<string | undefined> {
  const response = await fetch(`${origin}/api/openapi.json`).catch(() => undefined);
  if (!response || response.ok) return response?.text();
  throw new Error(`no OpenAPI document at ${origin}: ${response.status} ${await response.text()}`);
}
