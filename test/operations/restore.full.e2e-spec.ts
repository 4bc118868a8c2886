/** The procedure of docs/operations.md#restore for cloud mode; that of local mode is shown by backup.full.e2e-spec.ts. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EvalRunResource } from '@spandrel/contract';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { databaseUrl, startOwnPostgres, type OwnPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import { takeBaseBackup } from '../support/base-backup.ts';

let provider: FakeProvider;
const servers: OwnPostgres[] = [];
const apps: CloudApp[] = [];
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(async () => {
  for (const app of apps) await app.close();
  for (const server of servers) await server.stop();
  await provider.close();
});

async function open(url: string, env: Record<string, string> = {}): Promise<CloudApp> {
  const app = await cloudApp(url, { env: { SPANDREL_OPENAI_BASE_URL: `${provider.url}/v1`, ...env } });
  apps.push(app);
  return app;
}

async function startRun(api: Api, connectionId: string, questions: readonly string[]): Promise<string> {
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'set' });
  for (const input of questions)
    await api.post(`/api/datasets/${dataset.id}/datapoints`, { kind: { Generic: { input } } });
  const { body } = await api.post<{ id: string }>(`/api/datasets/${dataset.id}/eval`, {
    name: 'run',
    scoring: 'None',
    config: { connection_id: connectionId, model: 'm' },
  });
  return body.id;
}

const runOf = async (api: Api, id: string): Promise<EvalRunResource> =>
  (await api.get<EvalRunResource>(`/api/eval/${id}`)).body;

it('a base backup of a database that is written to becomes a service that has all of it, and goes on with no old run', async () => {
  const first = await startOwnPostgres();
  servers.push(first);
  const app = await open(await first.createDatabase('spandrel'));
  const { api, key } = await app.createTenant();
  const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
    name: 'fake',
    provider: 'openai',
    api_key: 'sk-restore-test-key',
    default_model: 'm',
  });
  // The run is never through, however slow the machine is.
  const questions = Array.from({ length: 60 }, (_, n) => (n < 4 ? `fake:slow:100 ${n}` : `fake:hang ${n}`));
  const runId = await startRun(api, connection.id, questions);
  await until(async () => (await runOf(api, runId)).progress >= 4);
  await api.post('/api/traces', { id: 't' });
  const acknowledged: string[] = [];
  let going = true;
  const writing = (async () => {
    for (let n = 0; going; n++) {
      const id = `s${n}`;
      const spans = [{ id, trace_id: 't', name: 'n', status: 'completed', output: id }];
      if ((await api.post('/api/ingest', { spans })).status === 200) acknowledged.push(id);
    }
  })();
  await until(() => acknowledged.length > 50);
  const before = [...acknowledged];
  const folder = await takeBaseBackup(first);
  const during = acknowledged.length - before.length;
  await until(() => acknowledged.length > before.length + during + 50);
  going = false;
  await writing;
  expect(during).toBeGreaterThan(0);
  // The machine is lost.
  await apps.pop()!.close();
  await servers.pop()!.stop();
  const asked = provider.requests.length;

  const second = await startOwnPostgres([], { files: folder });
  servers.push(second);
  const restored = await open(databaseUrl(second.server, 'spandrel'), { SPANDREL_EVALS_PAUSED: 'true' });
  const again = restored.anonymous.as(key);
  const { body: trace } = await again.get<{ spans: { id: string }[] }>('/api/traces/t');
  const kept = new Set(trace.spans.map(({ id }) => id));
  expect(before.filter((id) => !kept.has(id))).toEqual([]);
  // What was written after the backup is what is lost.
  expect(kept.size).toBeLessThan(acknowledged.length);
  const { body: summary } = await again.get<{ total_spans: number }>('/api/analytics/summary');
  expect(summary.total_spans).toBe(kept.size);
  const run = await runOf(again, runId);
  expect(run).toMatchObject({ status: 'running', total: 60 });
  expect(run.progress).toBeLessThan(60);
  expect(provider.requests.length).toBe(asked);
  expect((await again.post<{ status: string }>(`/api/eval/${runId}/cancel`, {})).body.status).toBe('cancelled');
  // With the secret key of old what is sealed can be read.
  const tried = await again.post<{ ok: boolean }>(`/api/provider-connections/${connection.id}/test`, {});
  expect(tried.body).toMatchObject({ ok: true });
  expect((await again.post('/api/spans', { trace_id: 't', name: 'after' })).status).toBe(201);
});
