import { TrafficCheck } from './traffic-check.ts';

/** The check of each server, by its base URL; gone when the server says something else. */
const checks = new Map<string, Promise<TrafficCheck | undefined>>();

/**
 * `fetch` of the API, where every answer, and every request that succeeds, must be as the server's own OpenAPI document
 * says.
 * @throws Error that names the difference.
 */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const bytes = await response.arrayBuffer();
  const { origin } = new URL(url);
  const check = await checkOf(origin);
  check?.check({
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

function checkOf(origin: string): Promise<TrafficCheck | undefined> {
  let check = checks.get(origin);
  if (!check) {
    check = fetchDocument(origin);
    checks.set(origin, check);
  }
  return check;
}

/** @returns `undefined` when the server is gone: a test may have killed it after its answer. */
async function fetchDocument(origin: string): Promise<TrafficCheck | undefined> {
  const response = await fetch(`${origin}/api/openapi.json`).catch(() => undefined);
  if (response?.ok) return TrafficCheck.of(await response.text());
  checks.delete(origin);
  if (response) throw new Error(`no OpenAPI document at ${origin}: ${response.status} ${await response.text()}`);
  return undefined;
}
