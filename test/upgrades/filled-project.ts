import { AccessSettings, accessFeature, administrationOf, CLI_ACTOR, JwtSettings } from '@spandrel/access';
import { auditCommands } from '@spandrel/audit';
import { ConnectionsSettings } from '@spandrel/connections';
import type { KeyCreated } from '@spandrel/contract';
import { createLogger } from '@spandrel/kernel';
import { openStorage, type Storage, type StorageConfig } from '@spandrel/storage';
import { EvalsLab } from '../evals/evals-lab.ts';
import { startServerApp, testSettings, type ServerApp, type ServerAppOptions } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';

/** Servers of all versions have the key of what is sealed. */
const OPTIONS: ServerAppOptions = {
  settings: (settings) => void (settings.of(ConnectionsSettings).secretKey = Buffer.alloc(32, 7)),
};

/** What is to be read of a database: answers by their paths, and what no route of local mode shows. */
export type Read = Record<string, unknown>;

/** Fills a database with something of everything that a server keeps, through servers of this version. */
export async function fill(config: StorageConfig): Promise<void> {
  const lab = await EvalsLab.open(config, OPTIONS);
  try {
    await fillProject(lab);
  } finally {
    await lab.close();
  }
  await withAdministration(config, async ({ organizations, projects, keys }) => {
    const { id: org } = await organizations.create(CLI_ACTOR, { name: 'organization', plan: 'team', rate_limit: 50 });
    const { id: project } = await projects.create(CLI_ACTOR, org, { name: 'project', rate_limit: 7 });
    const key = { name: 'key', scopes: ['read', 'write'] as const, project_id: project };
    await keys.create(CLI_ACTOR, { ...key, scopes: [...key.scopes] } satisfies Partial<KeyCreated> as never);
  });
}

async function fillProject(lab: EvalsLab): Promise<void> {
  const { api } = lab;
  const post = async (path: string, body: unknown): Promise<{ id: string }> => {
    const answer = await api.post<{ id: string }>(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const call = { type: 'llm_call', model: 'gpt-5.1', provider: 'openai', input_tokens: 7, output_tokens: 3 };
  const trace = { session_id: 'session', user_id: 'user', tags: ['a', 'ü'], metadata: { release: '0.1.0' } };
  await post('/api/ingest', {
    traces: [{ id: 'trace', name: 'a trace', ...trace }, { id: 'empty' }],
    spans: [
      ['root', null, { type: 'agent' }, { input: 'ein Text\0', output: { nested: ['\ud800', 1e-7] } }],
      ['call', 'root', call, { input: [{ role: 'user', content: 'why?' }], output: 'because', metadata: { n: 1 } }],
      ['unpriced', 'root', { ...call, model: 'of our own' }, { error: 'broken' }],
    ].map(([id, parent, kind, rest], n) => ({
      ...{ id, trace_id: 'trace', parent_id: parent, name: `span ${n}`, kind, ...(rest as object) },
      ...{ started_at: `2026-11-2${n}T10:00:00.000Z`, ended_at: `2026-11-2${n}T10:00:0${n + 1}.500Z` },
    })),
  });
  await post('/api/spans', { id: 'running', trace_id: 'trace', name: 'running', started_at: '2026-11-23T10:00:00Z' });

  const { id: dataset, datapointIds } = await lab.dataset(
    { Generic: { input: 'one', expected_output: 'You said: one' } },
    { Generic: { input: 'two', expected_output: 'no' } },
    'fake:error-400 three',
  );
  const path = `/api/datasets/${dataset}`;
  const gates = [{ metric: 'mean', op: '>=', value: 0.1 }];
  const scorers = [{ name: 'exact', scoring: 'ExactMatch' }, { scoring: 'Contains' }];
  await lab.run(dataset, { scoring: undefined, scorers, repeats: 2, gates, metadata: { branch: 'main' } });
  await api.send('PUT', `${path}/datapoints/${datapointIds[0]}`, { kind: { Generic: { input: 'one, edited' } } });
  await api.send('DELETE', `${path}/datapoints/${datapointIds[1]}`);
  await lab.run(dataset, { scoring: 'Contains', allow_unscored: true, config: { trace: true } });
  const external = await post(`${path}/eval`, { name: 'elsewhere', execution: 'external', scoring: 'External' });
  const result = { datapoint_id: datapointIds[0], output: 'o', score: 0.5, cost: 0.25, metadata: { by: 'us' } };
  await post(`/api/eval/${external.id}/results`, { results: [result] });
  await post(`/api/eval/${external.id}/complete`, {});

  await post(`${path}/capture-rules`, { name: 'rule', filters: { model: 'gpt-5.1' }, sample_rate: 1 });
  await post('/api/spans', { id: 'captured', trace_id: 'trace', name: 'captured', kind: call, input: 'captured' });
  await post('/api/spans/captured/complete', { output: 'so it was' });
  const captured = async (): Promise<boolean> =>
    (await api.get<{ datapoints: { source_span_id: string | null }[] }>(`${path}/datapoints`)).body.datapoints.some(
      ({ source_span_id: span }) => span === 'captured',
    );
  await until(captured);
  const { body: queued } = await api.post<{ items: { id: string }[] }>(`${path}/queue`, {
    datapoint_ids: [datapointIds[0], datapointIds[2]],
  });
  await post(`/api/queue/${queued.items[0]!.id}/claim`, { claimed_by: 'ann' });
  await post(`/api/queue/${queued.items[0]!.id}/submit`, { edited_data: { better: true } });
  await api.send('PUT', '/api/projects/local/masking', { rules: [{ masker: 'email', replace: 'hash' }] });
}

/** Reads everything back from a database that {@link fill} filled, maybe years ago: nothing of it may depend on the time. */
export async function readAll(config: StorageConfig): Promise<Read> {
  const server = await startServerApp(config, OPTIONS);
  let read: Read;
  try {
    read = await readProject(server);
  } finally {
    await server.close();
  }
  await withAdministration(config, async ({ organizations, keys }, storage) => {
    const faults: string[] = [];
    for await (const chain of auditCommands(storage).verify.execute()) {
      faults.push(...chain.faults.map(({ message }) => message));
    }
    const [orgs, list] = [
      await organizations.list(CLI_ACTOR, { limit: 10 }),
      await keys.list(CLI_ACTOR, { limit: 10 }),
    ];
    Object.assign(read, { faults, organizations: orgs.items, keys: list.items });
  });
  return JSON.parse(JSON.stringify(read)) as Read;
}

async function readProject({ api }: ServerApp): Promise<Read> {
  const read: Read = {};
  const get = async <Body = unknown>(path: string): Promise<Body> => {
    const { status, body } = await api.get<Body>(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    read[path] = body;
    return body;
  };
  const exported = await get<{ exported_at?: string; eval_runs: { id: string }[] }>('/api/export/json');
  delete exported.exported_at;
  for (const path of ['/api/traces', '/api/spans', '/api/sessions', '/api/provider-connections', '/api/queue']) {
    await get(path);
  }
  for (const path of ['/api/stats', '/api/analytics/summary', '/api/projects/local/masking']) await get(path);
  await get('/api/spans?text_contains=because');
  await get('/api/spans?tag=%C3%BC&model=gpt-5.1');
  for (const { id } of exported.eval_runs) {
    await get(`/api/eval/${id}`);
    await get(`/api/eval/${id}/statistics`);
  }
  return read;
}

type Administration = ReturnType<typeof administrationOf>;

async function withAdministration(
  config: StorageConfig,
  work: (administration: Administration, storage: Storage) => Promise<void>,
): Promise<void> {
  const entities = accessFeature.entities as never;
  const storage = await openStorage(config, { entities, logger: createLogger('silent', 'test') });
  try {
    const settings = testSettings();
    await work(administrationOf(storage, settings.of(AccessSettings), settings.of(JwtSettings)), storage);
  } finally {
    await storage.close();
  }
}
