import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest } from '../test/support/send-request.ts';
import { Api } from '../test/support/api.ts';
import { createTenant, type Tenant } from '../test/support/tenant.ts';
import { Beside } from './beside.ts';
import { startCloudServer } from './cloud-server.ts';
import { spanOf, traceIdOf } from './postgres-data.ts';
import { goal, heading, row } from './report.ts';

const SPANS_OF_INGEST = 500;
/** How often it is looked whether the organization is gone. */
const LOOK_MS = 100;
const RATE_LIMIT = 1_000_000;

interface Latency {
  /** Milliseconds of a `POST /api/spans` of the other organization. */
  p50: number;
  p99: number;
  requests: number;
}

interface RemovalFigures {
  spans: number;
  /** From the request to delete to the end of the organization. */
  tookSeconds: number;
  /** The other organization's requests, before and while the organization goes. */
  without: Latency;
  beside: Latency;
}

/** Deletes an organization while another one records. @param seconds for which the other one is measured alone. */
export async function measureRemoval(spans: number, seconds: number): Promise<RemovalFigures> {
  const { base, adminToken, peer, stop } = await startCloudServer();
  try {
    const operator = new Api(base, sendRequest).as(adminToken);
    const gone = await createTenant(operator, { name: 'goes', rateLimit: RATE_LIMIT });
    const other = await createTenant(operator, { name: 'stays', rateLimit: RATE_LIMIT });
    await ingest(gone, spans);
    const alone = new Beside(other.api, peer);
    await sleep(seconds * 1_000);
    const without = await alone.stop();
    const meanwhile = new Beside(other.api, peer);
    const began = performance.now();
    const { status } = await operator.delete(`/api/orgs/${gone.org.id}`);
    if (status !== 202) throw new Error(`the organization was not deleted: ${status}`);
    while ((await operator.get(`/api/orgs/${gone.org.id}/projects`)).status !== 404) await sleep(LOOK_MS);
    const tookSeconds = (performance.now() - began) / 1_000;
    return { spans, tookSeconds, without, beside: await meanwhile.stop() };
  } finally {
    await stop();
  }
}

/** Prints the figures and notes them against the goal. */
export function reportRemoval({ spans, tookSeconds, without, beside }: RemovalFigures): void {
  heading(`Deleting an organization of ${spans} spans, Postgres, beside POST /api/spans of another one`);
  row('gone after', `${tookSeconds.toFixed(1)} s`, `${(spans / tookSeconds).toFixed(0)} a second`);
  row('', 'p50 ms', 'p99 ms', 'requests');
  const line = (name: string, { p50, p99, requests }: Latency): void =>
    row(name, p50.toFixed(1), p99.toFixed(1), String(requests));
  line('the other one alone', without);
  line('the other one beside', beside);
  goal('POST /api/spans p99 ms beside a removal', beside.p99, '<=', 100);
}

async function ingest({ api }: Tenant, count: number): Promise<void> {
  const now = Date.now();
  for (let first = 0; first < count; first += SPANS_OF_INGEST) {
    const numbers = Array.from({ length: Math.min(SPANS_OF_INGEST, count - first) }, (_, n) => first + n);
    const traces = [...new Set(numbers.map(traceIdOf))].map((id) => ({ id }));
    const spans = numbers.map((n) => spanOf(n, count, now));
    const { status } = await api.post('/api/ingest', { traces, spans });
    if (status !== 200) throw new Error(`not ingested: ${status}`);
  }
}
