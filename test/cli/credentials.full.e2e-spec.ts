/** The command line on a server of cloud mode: keys, scopes, and what the doctor says of them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { ADMIN_TOKEN, type Tenant } from '../support/tenant.ts';
import { CommandLine } from './command-line.ts';
import { lines, OBSERVATIONS, OPIK_DATASET, PHOENIX_SPANS, SCORES, writeExport } from './foreign-exports.ts';

let postgres: TestPostgres;
let app: CloudApp;
let tenant: Tenant;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'command_line'));
  tenant = await app.createTenant({ scopes: ['read', 'write', 'ingest'] });
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const withKey = (key: string | undefined) =>
  new CommandLine({ SPANDREL_API_URL: app.url, ...(key !== undefined && { SPANDREL_API_KEY: key }) });

describe('a command without the rights for what it does', () => {
  it('ends with 4 and the code of the server', async () => {
    const none = await withKey(undefined).run(['traces', 'list']);
    expect([none.code, none.err]).toEqual([
      4,
      expect.stringMatching(/^spandrel: unauthenticated \(401\): .*\nspandrel: .*SPANDREL_API_KEY\n$/),
    ]);
    const { key } = await tenant.createKey(['ingest']);
    expect((await withKey(key).run(['traces', 'list'])).err).toMatch(/^spandrel: insufficient_scope \(403\): /);
    expect((await withKey(key).run(['traces', 'tail'])).code).toBe(4);
    const reader = withKey((await tenant.createKey(['read'])).key);
    expect((await reader.run(['traces', 'list'])).code).toBe(0);
    const refused = await reader.run(['datasets', 'import', '-', '--dataset', 'd'], { stdin: '{"input":1}\n' });
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('insufficient_scope')]);
  });

  it('takes an export of another product with a key for ingest, its datasets with one that may read and write', async () => {
    const ingest = withKey((await tenant.createKey(['ingest'])).key);
    const traces = writeExport({ 'observations_v2/1.jsonl': lines(OBSERVATIONS), 'scores/1.json': SCORES });
    expect(await ingest.json(['import', 'langfuse', traces])).toMatchObject({
      ...{ taken: { traces: 1, spans: 5, scores: 4 }, left_out: { count: 0 } },
    });
    const spans = writeExport({ 'spans.json': PHOENIX_SPANS });
    expect(await ingest.json(['import', 'phoenix', spans])).toMatchObject({ taken: { traces: 1, spans: 4 } });
    const datasets = writeExport({ 'dataset_Towers.json': OPIK_DATASET });
    const refused = await ingest.run(['import', 'opik', datasets]);
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('insufficient_scope')]);
    expect(await withKey(tenant.key).json(['import', 'opik', datasets])).toMatchObject({ taken: { datapoints: 2 } });
  });

  it('takes the key of the option before that of the variable', async () => {
    const { code } = await withKey('spn_sk_wrong').run(['traces', 'list', '--key', tenant.key]);
    expect(code).toBe(0);
  });
});

describe('doctor', () => {
  const examine = async (key: string | undefined, ...argv: string[]) => {
    const { code, out } = await withKey(key).run(['doctor', '--gateway-url', app.url, ...argv]);
    return { code, credential: /^(\w+) +credential +(.*)\n +(.*)$/m.exec(out)?.slice(1) ?? out, out };
  };

  it('ends with 4 where the server takes no key, and says why', async () => {
    expect(await examine(undefined)).toMatchObject({
      code: 4,
      credential: ['fail', expect.any(String), expect.any(String)],
    });
    const wrong = await examine('spn_sk_wrong');
    expect(wrong).toMatchObject({
      code: 4,
      credential: ['fail', expect.stringContaining('unauthenticated'), expect.any(String)],
    });
  });

  it('shows scopes, and warns of those that are missing and of keys that end', async () => {
    const { out } = await examine(tenant.key);
    expect(out).toMatch(
      new RegExp(`^ok +credential +api_key with read, write, ingest for project ${tenant.project.id}$`, 'm'),
    );
    const soon = new Date(Date.now() + 86_400_000).toISOString();
    const ending = await tenant.createKey(['read', 'write'], soon);
    expect((await examine(ending.key)).credential).toEqual(['warn', expect.stringContaining(soon), expect.any(String)]);
    const ingest = await tenant.createKey(['ingest']);
    expect((await examine(ingest.key)).credential[1]).toContain('cannot read');
    expect((await examine(ADMIN_TOKEN)).credential).toEqual([
      'fail',
      expect.stringContaining('no project'),
      expect.any(String),
    ]);
  });

  it('records with what a key may do', async () => {
    const wrote = async (...scopes: ('read' | 'write' | 'ingest')[]) =>
      /^(\w+ +write +.*)$/m.exec((await examine((await tenant.createKey(scopes)).key, '--write')).out)?.[1];
    expect(await wrote('read', 'write')).toMatch(/^ok .*recorded, read back and removed/);
    expect(await wrote('ingest')).toMatch(/^ok .*cannot read it back/);
    expect(await wrote('read', 'ingest')).toMatch(/^ok .*cannot delete it/);
    expect(await wrote('read')).toMatch(/^fail .*insufficient_scope/);
  });
});
