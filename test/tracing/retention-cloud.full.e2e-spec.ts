/** Retention as cloud mode has it: plans of organizations, and `spandrel retention run`. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AuditEntry } from '@spandrel/contract';
import { ConnectionsSettings } from '@spandrel/connections';
import { sql } from '@spandrel/storage';
import { runRetention } from '../../apps/cli/src/retention.js';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { type Tenant } from '../support/tenant.ts';
import { contradictions, NO_CONTRADICTIONS } from '../support/partition-lab.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { anyRows } from '../support/any-rows.ts';

const DAY_MS = 86_400_000;
const PLANS = [
  ['starter', 7],
  ['team', 30],
  ['enterprise', 90],
] as const;

let postgres: TestPostgres | undefined;
let server: CloudApp | undefined;
let url = '';

beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'cloud');
  server = await cloudApp(url);
});

afterAll(async () => {
  await server?.close();
  await postgres?.stop();
});

/** Runs the command in this process. */
async function run(args: readonly string[], env: Record<string, string>): Promise<{ out: string; code: unknown }> {
  const texts: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((text) => texts.push(String(text)) > 0),
  );
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    await runRetention(args);
    return { out: texts.join(''), code: process.exitCode };
  } finally {
    for (const spy of spies) spy.mockRestore();
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
    process.exitCode = undefined;
  }
}

describe('spandrel retention run', () => {
  it('deletes what the plan of each organization does not keep, and says how much', async () => {
    const tenants: Tenant[] = [];
    for (const [plan, days] of PLANS) {
      const tenant = await server!.createTenant({ plan });
      tenants.push(tenant);
      const spans = [days + 1, days - 1, 1].map((back) => ({
        id: `${plan}-${back}`,
        trace_id: `t-${back}`,
        name: 's',
        started_at: new Date(Date.now() - back * DAY_MS).toISOString(),
      }));
      const traces = spans.map(({ trace_id: id, started_at }) => ({ id, started_at }));
      expect((await tenant.api.post('/api/ingest', { traces, spans })).status).toBe(200);
    }
    const env = {
      DATABASE_URL: url,
      SPANDREL_SECRET_KEY: server!.settings.of(ConnectionsSettings).secretKey!.toString('hex'),
      SPANDREL_ADMIN_TOKEN: 'a-token-of-this-command-0123456789',
    };
    // Servers with a search index leave this row; the command here has no settings for one.
    const state = sql`insert into search_state (project_id, index_name, after_id) values ('p', 'pgvector', null)`;
    await server!.storage.write((tx) => tx.run(state));
    const { out, code } = await run(['--mode', 'cloud', '--data-dir', server!.settings.core.dataDir], env);
    expect(await server!.storage.read(anyRows()`select index_name as name from search_state`)).toEqual([
      { name: 'pgvector' },
    ]);
    expect(`${String(code)} ${out}`).toMatch(/^undefined /);
    for (const [plan, days] of PLANS) expect(out).toContain(`${plan} (${days} days): 1 trace and 1 span deleted\n`);
    expect(out).toContain('3 days dropped as a whole.');
    for (const [index, [, days]] of PLANS.entries()) {
      const { body } = await tenants[index]!.api.get<{ traces: { id: string }[] }>('/api/traces');
      expect(body.traces.map(({ id }) => id)).toEqual(['t-1', `t-${days - 1}`]);
      const summary = await tenants[index]!.api.get<{ total_spans: number; total_traces: number }>(
        '/api/analytics/summary',
      );
      expect(summary.body).toMatchObject({ total_spans: 2, total_traces: 2 });
      const { org, project, api } = tenants[index]!;
      const audit = await api.get<{ entries: AuditEntry[] }>('/api/audit-log?action=retention.applied');
      expect(audit.body.entries).toMatchObject([
        {
          ...{ actor: 'cli', org_id: org.id, target_id: org.id },
          details: { traces_deleted: 1, spans_deleted: 1, projects: { [project.id]: { days, spans_deleted: 1 } } },
        },
      ]);
    }
    expect(await contradictions(url)).toEqual(NO_CONTRADICTIONS);
  });

  it('does nothing in local mode, which keeps everything', async () => {
    const { out, code } = await run([], {});
    expect(code).toBe(1);
    expect(out).toBe('spandrel: local mode keeps everything: there is nothing to delete\n');
  });
});
