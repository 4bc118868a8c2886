/** Capture rules on both databases, in this process. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { CaptureRuleResource, DatapointResource, DatasetResource } from '@spandrel/contract';
import { DomainEvents } from '@spandrel/events';
import { createLogger } from '@spandrel/kernel';
import { captureRules, POISON } from './storage/capture-rules.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';
import { until } from './support/spandrel.ts';
import { describeOnBothDatabases, type SuiteDatabase } from './support/databases.ts';

describeOnBothDatabases('capture rules', ({ name, newDatabase }) => {
  const errors: Record<string, unknown>[] = [];
  let server: ServerApp | undefined;

  beforeAll(async () => {
    const log = { write: (line: string): void => void errors.push(JSON.parse(line) as Record<string, unknown>) };
    server = await startServerApp(await newDatabase('capture'), { logger: createLogger('error', 'test', log) });
    server.app.get(DomainEvents).register({
      name: 'refusing',
      async take(_tx, _scope, events) {
        if (events.some(({ type, json }) => type === 'datapoint_created' && json.includes(POISON))) {
          throw new Error('refused');
        }
      },
    });
  });

  afterAll(() => server?.close());

  captureRules(
    () => server!,
    () => errors,
  );

  if (name === 'Postgres') twoInstances(newDatabase);
});

function twoInstances(newDatabase: SuiteDatabase['newDatabase']): void {
  const servers: ServerApp[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  it('at two instances capture every span once, with spans, rules and datasets coming and going at both', async () => {
    const database = await newDatabase('instances');
    servers.push(...(await Promise.all([1, 2].map(() => startServerApp(database)))));
    const api = (n: number) => servers[n % 2]!.api;
    const newRule = async (n: number) => {
      const { body: dataset } = await api(n).post<DatasetResource>('/api/datasets', { name: `d${n}` });
      const path = `/api/datasets/${dataset.id}/capture-rules`;
      const { body: rule } = await api(n).post<CaptureRuleResource>(path, { name: 'r' });
      return { path, rule };
    };
    const kept = [await newRule(0), await newRule(1)];
    await api(0).post('/api/traces', { id: 't' });
    const ids = Array.from({ length: 300 }, (_, n) => `s${String(n).padStart(3, '0')}`);
    const writes = Array.from({ length: 30 }, async (_, writer) => {
      const spans = ids
        .slice(writer * 10, writer * 10 + 10)
        .map((id) => ({ id, trace_id: 't', name: 's', status: 'completed', input: id }));
      await Promise.all([0, 1].map((n) => api(n).post('/api/ingest', { spans })));
    });
    const passing = Array.from({ length: 10 }, async (_, n) => {
      const { path, rule } = await newRule(n);
      await api(n + 1).send('PUT', `${path}/${rule.id}`, { name: 'renamed' });
      await new Promise((resolve) => setTimeout(resolve, 20 * n));
      const gone = n % 2 === 0 ? `${path}/${rule.id}` : `/api/datasets/${rule.dataset_id}`;
      expect((await api(n + 1).delete(gone)).status).toBe(200);
    });
    await Promise.all([...writes, ...passing]);
    for (const { path, rule } of kept) {
      const count = async (): Promise<number> =>
        (await api(0).get<CaptureRuleResource>(`${path}/${rule.id}`)).body.captured_count;
      await until(async () => (await count()) >= ids.length, 20_000);
      const { body } = await api(1).get<{ datapoints: DatapointResource[] }>(
        `/api/datasets/${rule.dataset_id}/datapoints`,
      );
      expect(body.datapoints.map(({ source_span_id: id }) => id).sort()).toEqual(ids);
      expect(await count()).toBe(ids.length);
    }
  });
}
