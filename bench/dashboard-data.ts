import type { Api } from '../test/support/api.ts';

const NOON = Date.parse('2026-11-22T12:00:00.000Z');
const BATCH = 2_000;
const TEXT = 'lorem ipsum dolor sit amet '.repeat(19);

const at = (ms: number): string => new Date(NOON + ms).toISOString();

/** Records a trace of calls below steps of ten, each with 1 KB of texts; every 101st failed. */
export async function recordLargeTrace(
  api: { post(path: string, body: object): Promise<unknown> },
  traceId: string,
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const spans = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => spanOf(traceId, from + n, count));
    await api.post('/api/ingest', { traces: from === 0 ? [{ id: traceId, name: traceId }] : [], spans });
  }
}

function spanOf(traceId: string, n: number, count: number): object {
  const root = { id: `${traceId}-0`, trace_id: traceId, name: 'agent run', kind: { type: 'agent' } };
  if (n === 0) return { ...root, started_at: at(0), ended_at: at(count * 10) };
  const head = n - ((n - 1) % 10);
  const isHead = head === n;
  return {
    ...{ id: `${traceId}-${n}`, trace_id: traceId, parent_id: `${traceId}-${isHead ? 0 : head}` },
    ...{ name: isHead ? `step ${n}` : `call ${n}`, started_at: at(n * 10), ended_at: at(n * 10 + (isHead ? 95 : 9)) },
    kind: isHead ? { type: 'custom' } : { type: 'llm_call', model: 'gpt-5.1', input_tokens: n, output_tokens: 7 },
    ...{ input: TEXT, output: TEXT },
    ...(n % 101 === 50 && { status: { failed: { error: `overloaded, request ${n}` } } }),
  };
}

/** Records a span with an output of some megabytes of JSON, of fewer values than a body may have. @throws when it is refused. */
export async function recordLargePayload(api: Api, traceId: string, bytes: number): Promise<void> {
  const row = { name: 'an item', note: TEXT.slice(0, 200), numbers: [1, 2.5, 3e9] };
  const rows = Array.from({ length: Math.floor(bytes / (JSON.stringify(row).length + 12)) }, (_, n) => ({ n, ...row }));
  const span = { id: `${traceId}-1`, trace_id: traceId, name: 'export', started_at: at(0), ended_at: at(500) };
  const { status } = await api.post('/api/ingest', {
    traces: [{ id: traceId }],
    spans: [{ ...span, output: { rows } }],
  });
  if (status >= 300) throw new Error(`the payload was answered with ${status}`);
}

/** Records traces of one span, a minute apart. */
export async function recordSmallTraces(api: Api, count: number): Promise<void> {
  const now = Date.now();
  for (let from = 0; from < count; from += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => from + n);
    const times = (n: number) => new Date(now - n * 60_000).toISOString();
    await api.post('/api/ingest', {
      traces: ids.map((n) => ({ id: `small-${n}`, name: `checkout ${n}`, started_at: times(n), tags: ['prod'] })),
      spans: ids.map((n) => ({
        ...{ id: `small-${n}-1`, trace_id: `small-${n}`, name: 'chat', started_at: times(n), ended_at: times(n) },
        kind: { type: 'llm_call', model: 'gpt-4o-mini', input_tokens: 1_200, output_tokens: 80 },
      })),
    });
  }
}
