/** Runs take turns for their model calls: what one has begun does not hold up another (docs/spec/evaluations.md#how-many-items-at-once). */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import { EvalsSettings } from '@spandrel/evals';
import type { EvalRunResource, ProjectResource } from '@spandrel/contract';
import { Permits, type Settings } from '@spandrel/kernel';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Api } from '../support/api.ts';
import { cloudApp } from '../support/cloud-app.ts';
import { describeOnDatabase, POSTGRES } from '../support/databases.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres } from '../support/postgres.ts';
import { startServerApp } from '../support/server-app.ts';
import { tempDir, until } from '../support/spandrel.ts';
import type { Tenant } from '../support/tenant.ts';

/** Calls at once, and samples of a run at once. */
const CALLS = 4;
const RUNS = 30;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function startProvider(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  closers.push(provider.close);
  return provider;
}

let permits: Permits;
const options = {
  settings: (settings: Settings) => {
    Object.assign(settings.of(EvalsSettings), { callsMax: CALLS, concurrency: CALLS });
    settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1'];
  },
  prepare: (app: { get(token: unknown): unknown }) => void (permits = app.get(Permits) as Permits),
};

/** What a project needs for runs over so many datapoints, each of which says `text`. @returns starts one. */
async function runsOf(api: Api, { url }: FakeProvider): Promise<(text: string, count?: number) => Promise<string>> {
  const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
    ...{
      name: 'fake',
      provider: 'openai',
      api_key: 'sk-test-fake-key',
      base_url: `${url}/v1`,
      default_model: 'gpt-5.1',
    },
  });
  return async (text, count = CALLS) => {
    const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: text });
    for (let n = 0; n < count; n++) {
      await api.post(`/api/datasets/${dataset.id}/datapoints`, { kind: { Generic: { input: text } } });
    }
    const { status, body } = await api.post<EvalRunResource>(`/api/datasets/${dataset.id}/eval`, {
      ...{ name: text, scoring: 'None', config: { connection_id: connection.id } },
    });
    expect([status, body.status]).toEqual([201, 'pending']);
    return body.id;
  };
}

const waiting = (count: number): Promise<void> =>
  until(
    async () => permits.waits === count,
    30_000,
    () => `${permits.waits} calls wait, not ${count}`,
  );

/** How many calls had been made by the last one that says `text`. */
const lastOf = ({ requests }: FakeProvider, text: string): number =>
  requests.findLastIndex(({ body }) => body.toString('utf8').includes(text)) + 1;

const completed = (api: Api, id: string): Promise<void> =>
  until(async () => (await api.get<EvalRunResource>(`/api/eval/${id}?items=none`)).body.status === 'completed', 30_000);

describe('many runs of one project, on SQLite', () => {
  it('let another one call after a call of each of them', async () => {
    const provider = await startProvider();
    const app = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }, options);
    closers.push(app.close);
    const start = await runsOf(app.api, provider);
    await start('fake:held');
    await until(async () => permits.taken === CALLS);
    for (let run = 0; run < RUNS; run++) await start(`many ${run}`);
    await waiting(RUNS * CALLS);
    const late = await start('late', 1);
    await waiting(RUNS * CALLS + 1);
    provider.release();
    await completed(app.api, late);
    expect(lastOf(provider, 'late')).toBeLessThanOrEqual(CALLS + RUNS + 1);
  });
});

describeOnDatabase(POSTGRES, 'many runs of one organization', () => {
  it('do not hold up the only run of another one, nor that of another project of theirs', async () => {
    const provider = await startProvider();
    const postgres = await startPostgres();
    closers.push(() => postgres.stop());
    const app = await cloudApp(await createMigrated(postgres, 'fair_runs'), options);
    closers.push(app.close);
    const [many, modest] = [await app.createTenant({ name: 'many' }), await app.createTenant({ name: 'modest' })];
    const start = await runsOf(many.api, provider);
    await start('fake:held');
    await until(async () => permits.taken === CALLS);
    for (let run = 0; run < RUNS; run++) await start(`many ${run}`);
    await waiting(RUNS * CALLS);
    const small = await projectBeside(app.api, many);
    const beside = await (await runsOf(small, provider))('small project');
    const only = await (await runsOf(modest.api, provider))('modest organization');
    await waiting((RUNS + 2) * CALLS);
    provider.release();
    await Promise.all([completed(small, beside), completed(modest.api, only)]);
    // Organizations take turns, and within the one of many runs its two projects.
    expect(lastOf(provider, 'modest organization')).toBeLessThanOrEqual(CALLS + 2 * CALLS);
    expect(lastOf(provider, 'small project')).toBeLessThanOrEqual(CALLS + 3 * CALLS);
  });
});

/** Another project of a tenant's organization. @returns with a key of it. */
async function projectBeside(operator: Api, { org }: Tenant): Promise<Api> {
  const { body: project } = await operator.post<ProjectResource>(`/api/orgs/${org.id}/projects`, { name: 'small' });
  const { body } = await operator.post<{ key: string }>('/api/keys', {
    ...{ name: 'small', scopes: ['read', 'write'], project_id: project.id, expires_at: null },
  });
  return operator.as(body.key);
}
