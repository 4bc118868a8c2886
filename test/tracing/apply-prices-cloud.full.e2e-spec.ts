/** Applying prices in cloud mode: of the key's project alone, and in the audit log (docs/spec/prices.md#applying-prices). */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TracingSettings } from '../../libs/tracing/src/tracing.settings.js';
import type { AppliedPrices, AuditEntry, SpanResource } from '@spandrel/contract';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import type { Tenant } from '../support/tenant.ts';

/** More than one transaction prices. */
const SPANS = 1_100;

let postgres: TestPostgres;
let app: CloudApp;
let [ours, theirs]: Tenant[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  const url = await createMigrated(postgres, 'priced');
  app = await cloudApp(url);
  [ours, theirs] = [await app.createTenant(), await app.createTenant()];
  for (const { api } of [ours, theirs]) {
    const spans = Array.from({ length: SPANS }, (_, n) => ({
      ...{ id: `s${n}`, trace_id: 't', name: 's', kind: { type: 'llm_call', model: 'm', input_tokens: 1_000_000 } },
      ...{ started_at: '2026-03-02T12:00:00Z', ended_at: '2026-03-02T12:00:01Z' },
    }));
    const { body } = await api.post('/api/ingest', { traces: [{ id: 't' }], spans });
    expect(body).toMatchObject({ rejected: [] });
  }
  await app.close();
  app = await cloudApp(url, {
    settings: (settings) => void (settings.of(TracingSettings).prices = { m: { input: 2, output: 2 } }),
  });
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const of = ({ key }: Tenant): Api => app.anonymous.as(key);

const entries = async (): Promise<Pick<AuditEntry, 'action' | 'target_id' | 'details'>[]> => {
  const query = 'action=prices.apply_begun&action=prices.applied';
  const { body } = await of(ours!).get<{ entries: AuditEntry[] }>(`/api/audit-log?${query}`);
  return body.entries.map(({ action, target_id, details }) => ({ action, target_id, details })).toReversed();
};

it('has one entry at the beginning of a run and one at its end, and none of a dry run', async () => {
  const pages = async (body: object): Promise<number> => {
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null; count++) {
      const answer = await of(ours!).post<AppliedPrices>('/api/prices/apply', { ...body, cursor });
      expect(answer.status).toBe(200);
      cursor = answer.body.next_cursor;
    }
    return count;
  };
  expect(await pages({ dry_run: true })).toBeGreaterThan(1);
  expect(await entries()).toEqual([]);
  expect(await pages({ unpriced: true })).toBeGreaterThan(1);
  const target_id = ours!.project.id;
  expect(await entries()).toEqual([
    { action: 'prices.apply_begun', target_id, details: { unpriced: true } },
    {
      ...{ action: 'prices.applied', target_id },
      details: {
        ...{ unpriced: true, spans_examined: SPANS, spans_changed: SPANS },
        ...{ cost_before: 0, cost_after: 2 * SPANS },
      },
    },
  ]);
});

it('leaves the spans of others alone', async () => {
  const costs = await Promise.all(
    [ours!, theirs!].map(async (tenant) => {
      const { body } = await of(tenant).get<SpanResource>('/api/spans/s0');
      return body.metadata['cost'];
    }),
  );
  expect(costs).toEqual([2, null]);
});
