/** What the tests of MCP look at: a week of calls, and things that are far larger than an answer. */
import type { DatapointResource, DatasetResource, EvalRunSummary, IngestSpan, IngestTrace } from '@spandrel/contract';
import type { Api } from '../support/api.ts';

const DAY_MS = 86_400_000;

/** The model that fails most in the last seven days, how often, and what its newest failure says. */
export const WORST = { model: 'claude-b', calls: 20, failures: 7, error: 'overloaded: try again later (call 19)' };

export interface Planted {
  /** Ids of all traces, of the huge ones, and of the one with a deep tree of 300 spans. */
  traceIds: string[];
  hugeTraceId: string;
  deepTraceId: string;
  hugeSpanId: string;
  /** JSON, of 10 MB unless it was to be less, as it was sent. */
  hugeInput: unknown;
  hugeOutput: string;
  dataset: DatasetResource;
  datapointIds: string[];
  /** A completed run, and another one of the same dataset that scored worse. */
  run: EvalRunSummary;
  baseline: EvalRunSummary;
  /** A connection to a provider that nobody asks. */
  connectionId: string;
}

const sent = async <Body>(answer: Promise<{ status: number; body: Body }>): Promise<Body> => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`not planted: ${status} ${JSON.stringify(body).slice(0, 500)}`);
  return body;
};

const call = (trace: string, at: number, model: string, error: string | null): IngestSpan =>
  ({
    ...{ id: `${trace}-span`, trace_id: trace, name: `chat ${trace}` },
    kind: {
      type: 'llm_call',
      model,
      provider: model === WORST.model ? 'anthropic' : 'openai',
      input_tokens: 10,
      output_tokens: 5,
    },
    input: [{ role: 'user', content: `What is ${trace}?` }],
    ...(error === null ? { output: 'An answer.' } : { error }),
    started_at: new Date(at).toISOString(),
    ended_at: new Date(at + 250).toISOString(),
  }) as unknown as IngestSpan;

/** Calls of three models: one fails now and then, one often, one failed all the time three weeks ago. */
function week(now: number): { traces: IngestTrace[]; spans: IngestSpan[] } {
  const calls = [
    ...Array.from({ length: 30 }, (_, n) => ({ model: 'gpt-a', error: n < 2 ? 'timeout' : null, daysAgo: n / 6 })),
    ...Array.from({ length: WORST.calls }, (_, n) => ({
      model: WORST.model,
      error: n >= WORST.calls - WORST.failures ? `overloaded: try again later (call ${n})` : null,
      daysAgo: (WORST.calls - n) / 5,
    })),
    ...Array.from({ length: 40 }, () => ({ model: 'old-c', error: 'gone', daysAgo: 21 })),
  ];
  return {
    traces: calls.map((_, n) => ({
      id: `week-${n}`,
      name: `question ${n}`,
      session_id: `session-${n % 5}`,
      tags: ['week'],
    })) as unknown as IngestTrace[],
    spans: calls.map(({ model, error, daysAgo }, n) =>
      call(`week-${n}`, now - daysAgo * DAY_MS - 60_000, model, error),
    ),
  };
}

/** Names, tags, errors and texts as long as they may be, full of what takes six characters in JSON. */
function huge(): { traces: IngestTrace[]; spans: IngestSpan[] } {
  const ids = Array.from({ length: 8 }, (_, n) => `huge-${n}`);
  const long = '\u0001"\\'.repeat(600);
  return {
    traces: ids.map((id) => ({
      ...{ id, name: long, session_id: `${id} ${'"'.repeat(400)}`, user_id: '\u0002'.repeat(400) },
      tags: Array.from({ length: 60 }, (_, n) => `${n} ${'"'.repeat(300)}`),
      metadata: { notes: long.repeat(3) },
    })) as unknown as IngestTrace[],
    spans: ids.map((id) => ({
      ...{ id: `${id}-span`, trace_id: id, name: long, error: long.repeat(10) },
      kind: { type: 'tool_call', name: 'search', arguments: long.repeat(10) },
      input: { question: long.repeat(10) },
      metadata: { notes: long.repeat(3) },
    })) as unknown as IngestSpan[],
  };
}

/** A trace whose spans hang below one another, three below each. */
function deep(): { traces: IngestTrace[]; spans: IngestSpan[] } {
  const spans = Array.from({ length: 300 }, (_, n) => ({
    ...{ id: `deep-${n}`, trace_id: 'deep', name: `step ${n}`, kind: { type: 'custom' } },
    ...(n > 0 && { parent_id: `deep-${Math.floor((n - 1) / 3)}` }),
    started_at: new Date(Date.UTC(2026, 9, 1) + n).toISOString(),
    ended_at: new Date(Date.UTC(2026, 9, 1) + n + (n % 50)).toISOString(),
    ...(n % 60 === 7 && { error: `step ${n} broke` }),
  }));
  return {
    traces: [{ id: 'deep', name: 'deep' }] as unknown as IngestTrace[],
    spans: spans as unknown as IngestSpan[],
  };
}

/** JSON of some 90 KB a message: quotes, emoji, halves of characters and long numbers among it. */
const hugeInput = (messages: number): unknown => ({
  messages: Array.from({ length: messages }, (_, n) => ({
    role: 'user',
    content: `${n} "😀 \ud800 ${'long text\n'.repeat(8_700)}`,
  })),
});

/** What is planted. */
interface PlantOptions {
  /** The name of the dataset; each tenant has its own. */
  name?: string;
  /** How many the huge input has: a hundred are some 10 MB. */
  messages?: number;
}

export async function plant(api: Api, { name = 'planted', messages = 100 }: PlantOptions = {}): Promise<Planted> {
  for (const items of [week(Date.now()), huge(), deep()]) {
    const { rejected } = await sent(api.unchecked.post<{ rejected: unknown[] }>('/api/ingest', items));
    if (rejected.length > 0) throw new Error(JSON.stringify(rejected[0]));
  }
  const input = hugeInput(messages);
  const hugeOutput = 'an answer of \u0000 and "quotes" 😀 '.repeat(5_000);
  const trace = await sent(api.post<{ id: string }>('/api/traces', { name: 'one huge call' }));
  const span = await sent(
    api.unchecked.post<{ id: string }>('/api/spans', {
      trace_id: trace.id,
      name: 'huge',
      input,
      metadata: { plan: 'x'.repeat(30_000) },
    }),
  );
  await sent(api.unchecked.post(`/api/spans/${span.id}/complete`, { output: hugeOutput }));

  const dataset = await sent(api.post<DatasetResource>('/api/datasets', { name, description: 'd'.repeat(2_000) }));
  const datapointIds: string[] = [];
  for (let n = 0; n < 40; n++) {
    const kind = {
      Generic: {
        input: `${n} ${'"q"'.repeat(n < 30 ? 2_000 : 2)}`,
        expected_output: 'e'.repeat(2_000),
        metadata: { topic: `t${n % 4}` },
      },
    };
    datapointIds.push((await sent(api.post<DatapointResource>(`/api/datasets/${dataset.id}/datapoints`, { kind }))).id);
  }
  await sent(api.post(`/api/datasets/${dataset.id}/queue`, { datapoint_ids: datapointIds.slice(0, 30) }));
  const baseline = await externalRun(api, dataset.id, 'before', datapointIds, () => 1);
  const run = await externalRun(api, dataset.id, 'after', datapointIds, (n) => (n % 3 === 0 ? 0 : 1), baseline.id);
  const connection = await sent(
    api.post<{ id: string }>('/api/provider-connections', {
      ...{
        name: 'nobody',
        provider: 'openai',
        api_key: 'sk-nothing',
        base_url: 'http://127.0.0.1:9/v1',
        default_model: 'gpt-a',
      },
    }),
  );
  const traceIds = (await api.traces()).map(({ id }) => id);
  const { body: filled } = await api.get<DatasetResource>(`/api/datasets/${dataset.id}`);
  return {
    ...{ traceIds, hugeTraceId: 'huge-0', deepTraceId: 'deep', hugeSpanId: span.id, hugeInput: input, hugeOutput },
    ...{ dataset: filled, datapointIds, run, baseline, connectionId: connection.id },
  };
}

async function externalRun(
  api: Api,
  datasetId: string,
  name: string,
  datapointIds: readonly string[],
  score: (n: number) => number,
  baseline?: string,
): Promise<EvalRunSummary> {
  const scorers = Array.from({ length: 8 }, (_, n) => ({ name: `scorer_${n}`, scoring: 'External' }));
  const gates = [
    { metric: 'mean', op: '>=', value: 0.9 },
    ...(baseline === undefined ? [] : [{ metric: 'regression', baseline_run_id: baseline }]),
  ];
  const started = await sent(
    api.post<EvalRunSummary>(`/api/datasets/${datasetId}/eval`, {
      ...{ name, execution: 'external', scorers, gates, metadata: { branch: name, notes: 'n'.repeat(1_500) } },
    }),
  );
  const results = datapointIds.map((datapoint_id, n) => ({
    datapoint_id,
    ...(n === 5 ? { error: 'boom '.repeat(1_000) } : { output: `answer ${n} ${'"'.repeat(3_000)}` }),
    ...(n !== 5 && {
      scores: Object.fromEntries(
        scorers.map((scorer) => [scorer.name, { score: score(n), reason: 'because '.repeat(100) }]),
      ),
    }),
  }));
  await sent(api.post(`/api/eval/${started.id}/results`, { results }));
  await sent(api.post(`/api/eval/${started.id}/complete`));
  return (await api.get<EvalRunSummary>(`/api/eval/${started.id}?items=none`)).body;
}
