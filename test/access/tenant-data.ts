import type { Api } from '../support/api.ts';
import type { Tenant } from '../support/tenant.ts';

/** What a tenant has, one of everything, by what an id names. */
export interface TenantData {
  trace: string;
  span: string;
  session: string;
  user: string;
  dataset: string;
  datapoint: string;
  rule: string;
  connection: string;
  run: string;
  /** A run that its caller executes, begun. */
  external: string;
  item: string;
  score: string;
  definition: string;
  scoringRule: string;
  alert: string;
  channel: string;
  org: string;
  project: string;
  key: string;
  member: string;
  view: string;
  board: string;
  comment: string;
  share: string;
  replay: string;
  /** A trace that tries name, and nothing else does. */
  tried: string;
}

/** Kinds of ids. */
export type IdKind = keyof TenantData;

/** Makes one of everything, with a mark in every text that can hold one. Nothing listens where the connection points. */
export async function plant({ api, org, project, keyId }: Tenant, mark: string): Promise<TenantData> {
  const make = async (path: string, body: unknown): Promise<string> => {
    const { status, body: made } = await api.post<{ id: string }>(path, body);
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(made)}`);
    return made.id;
  };
  const session = `session of ${mark}`;
  const user = `user of ${mark}`;
  const trace = await make('/api/traces', { name: mark, session_id: session, user_id: user, tags: [mark] });
  const span = await make('/api/spans', {
    trace_id: trace,
    name: mark,
    kind: { type: 'llm_call', model: mark, provider: mark, cost: 1, input_tokens: 5 },
    input: `input of ${mark}`,
  });
  await api.post(`/api/spans/${span}/complete`, { output: `output of ${mark}` });
  await make('/api/spans', { trace_id: trace, name: `${mark} running` });
  const dataset = await make('/api/datasets', { name: mark });
  const datapoint = await make(`/api/datasets/${dataset}/datapoints`, { kind: { Generic: { input: mark } } });
  const rule = await make(`/api/datasets/${dataset}/capture-rules`, { name: mark, filters: { model: 'bait' } });
  const connection = await make('/api/provider-connections', {
    name: mark,
    provider: 'custom',
    api_key: `sk-${mark}`,
    base_url: 'http://127.0.0.1:9/v1',
    default_model: mark,
  });
  const run = await make(`/api/datasets/${dataset}/eval`, {
    name: mark,
    config: { connection_id: connection, model: mark },
    scoring: 'None',
    ...{ repeats: 2, metadata: { mark }, gates: [{ metric: 'mean', op: '>=', value: 0 }] },
  });
  await ended(api, run);
  const external = await make(`/api/datasets/${dataset}/eval`, {
    ...{ name: mark, execution: 'external', scoring: 'External', repeats: 3, metadata: { mark } },
  });
  await api.post(`/api/eval/${external}/results`, {
    results: [{ datapoint_id: datapoint, repeat: 2, output: mark, metadata: { mark } }],
  });
  const queued = await api.post<{ items: { id: string }[] }>(`/api/datasets/${dataset}/queue`, {
    datapoint_ids: [datapoint],
  });
  const item = queued.body.items[0]!.id;
  const definition = await make('/api/score-definitions', { name: mark, kind: 'number', description: mark });
  const scoringRule = await make('/api/scoring-rules', {
    ...{ name: mark, enabled: false, score_name: mark, scoring: 'LlmJudge', scoring_config: { rubric: mark } },
    judge: { connection_id: connection, model: mark },
  });
  const score = await make('/api/scores', { name: mark, value: 1, comment: mark, author: mark, span_id: span });
  const url = 'http://127.0.0.1:9/hook';
  const channel = await make('/api/alert-channels', { name: mark, kind: 'webhook', url, secret: mark });
  const alert = await make('/api/alerts', {
    ...{ name: mark, measure: 'cost', window: '1h', condition: { op: '>', value: 5 }, channel_ids: [channel] },
    ...{ filters: { user: mark }, enabled: false },
  });
  const member = await make(`/api/orgs/${org.id}/members`, {
    email: `${mark.replaceAll(' ', '-')}@people.example`,
    role: 'viewer',
  });
  const view = await make('/api/views', { name: mark, page: 'traces', query: mark });
  const figures = [{ title: mark, figure: 'cost', query: mark }];
  const board = await make('/api/boards', { name: mark, figures });
  const comment = await make('/api/comments', { target_type: 'trace', target_id: trace, text: mark });
  const share = await make('/api/shares', { trace_id: trace });
  const tried = await make('/api/traces', { name: mark });
  const replay = await make('/api/replays', {
    ...{ name: mark, scoring: 'None', source: { span_ids: [span] }, change: { connection_id: connection } },
  });
  const { body: replayed } = await api.get<{ run_id: string }>(`/api/replays/${replay}`);
  await ended(api, replayed.run_id);
  return {
    ...{
      trace,
      span,
      session,
      user,
      dataset,
      datapoint,
      rule,
      connection,
      run,
      external,
      item,
      score,
      definition,
      scoringRule,
    },
    ...{ org: org.id, project: project.id, key: keyId, member },
    ...{ view, board, share, alert, channel, comment, replay, tried },
  };
}

/** Until a run changes no more. */
async function ended(api: Api, run: string): Promise<void> {
  for (;;) {
    const { body } = await api.get<{ status: string }>(`/api/eval/${run}`);
    if (!['pending', 'running'].includes(body.status)) return;
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Everything that a tenant can read of its own, but what reports the time of reading. */
export async function everythingOf({ api, org }: Tenant, data: TenantData): Promise<Record<string, unknown>> {
  const paths = [
    '/api/export/json',
    ...[
      '/api/sessions',
      '/api/spans',
      '/api/traces',
      '/api/provider-connections',
      '/api/queue',
      '/api/count/queue',
      '/api/stats',
      ...['/api/scores', '/api/score-definitions', '/api/scoring-rules', '/api/analytics/scores'],
      '/api/alert-channels',
      '/api/replays',
    ],
    ...['/api/analytics/summary', '/api/keys', '/api/orgs', '/api/audit-log', `/api/orgs/${org.id}/projects`],
    `/api/orgs/${org.id}/members`,
    ...[`/api/datasets/${data.dataset}`, `/api/datasets/${data.dataset}/capture-rules`],
    ...[`/api/datasets/${data.dataset}/eval`, `/api/eval/${data.run}`],
    ...[`/api/eval/${data.external}`, `/api/eval/${data.run}/statistics`],
  ];
  const answers = await Promise.all(
    paths.map(async (path) => {
      const { status, body } = await api.get<Record<string, unknown>>(path);
      if (status !== 200) throw new Error(`${path}: ${status}`);
      const { exported_at: _time, ...rest } = body;
      return [path, KEPT[path]?.(rest) ?? rest] as const;
    }),
  );
  return Object.fromEntries(answers);
}

/** What of an answer the reading itself does not change: its export leaves an entry, and its key is used. */
const KEPT: Readonly<Record<string, (answer: Record<string, unknown>) => unknown>> = {
  '/api/audit-log': ({ entries }) =>
    (entries as { action: string }[]).filter(({ action }) => action !== 'project.exported'),
  '/api/keys': ({ keys }) => (keys as Record<string, unknown>[]).map(({ last_used_at: _time, ...key }) => key),
};
