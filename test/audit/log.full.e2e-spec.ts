/** The audit log as it is read, over HTTP and on the command line (docs/spec/audit.md). */
import { writeFileSync } from 'node:fs';
import { rename, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ForwardEntries } from '../../libs/audit/src/forwarding/forward-entries.js';
import { RecordRefusals } from '../../libs/audit/src/refusals/refusal-book.js';
import type { AuditEntry } from '@spandrel/contract';
import { rawSql } from '@spandrel/storage';
import { adminCommand } from '../../apps/cli/src/admin-command.js';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { SECRET_KEY, type Tenant } from '../support/tenant.ts';

let postgres: TestPostgres;
let url: string;
let app: CloudApp;
let tenant: Tenant;
let other: Tenant;
const directory = tempDir();
const file = join(directory, 'audit.jsonl');

beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'audit_log');
  app = await cloudApp(url, { env: { SPANDREL_AUDIT_LOG: file } });
  tenant = await app.createTenant({ name: 'Ours' });
  other = await app.createTenant({ name: 'Theirs' });
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

interface Entries {
  entries: AuditEntry[];
  next_cursor: string | null;
}

const entriesOf = async (api: Api, query = ''): Promise<AuditEntry[]> =>
  (await api.get<Entries>(`/api/audit-log?${query}`)).body.entries;

const lines = async (path: string): Promise<AuditEntry[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditEntry);

describe('the list', () => {
  it('shows what meets all filters, page by page', async () => {
    const key = await tenant.createKey(['read']);
    const between = new Date().toISOString();
    await tenant.api.delete(`/api/keys/${key.id}`);
    await tenant.api.patch(`/api/orgs/${tenant.org.id}`, { name: 'Ours too' });
    const shown = async (query: string): Promise<string[]> =>
      (await entriesOf(tenant.api, query)).map(({ action }) => action);
    expect(await shown(`target=${key.id}`)).toEqual(['key.deleted', 'key.created']);
    expect(await shown(`target=${key.id}&action=key.created`)).toEqual(['key.created']);
    expect(await shown(`action=key.deleted&action=org.updated`)).toEqual(['org.updated', 'key.deleted']);
    expect(await shown(`actor=key:${tenant.keyId}`)).toEqual(['org.updated', 'key.deleted']);
    expect(await shown(`actor=admin&action=org.created`)).toEqual(['org.created']);
    expect(await shown(`since=${between}`)).toEqual(['org.updated', 'key.deleted']);
    expect((await shown(`until=${between}`))[0]).toBe('key.created');
    expect(await shown(`since=${between}&until=${between}`)).toEqual([]);
    expect(await shown(`actor=${encodeURIComponent('\0')}`)).toEqual([]);

    const paged: AuditEntry[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: Entries } = await tenant.api.get<Entries>(
        `/api/audit-log?limit=1&actor=admin${cursor && `&cursor=${cursor}`}`,
      );
      paged.push(...body.entries);
      cursor = body.next_cursor;
    }
    expect(paged).toEqual(await entriesOf(tenant.api, 'actor=admin'));
  });

  it.each(['acton=key.created', 'action=key.creatd', 'since=yesterday', 'org_id=x'])('refuses %s', async (query) => {
    for (const path of ['/api/audit-log', '/api/audit-log/export']) {
      const { status, body } = await tenant.api.unchecked.as(tenant.key).get(`${path}?${query}`);
      expect([status, body.code]).toEqual([400, 'validation_failed']);
    }
  });

  it('and the export show an organization nothing of another one, whatever the filter', async () => {
    const foreign = `target=${other.keyId}`;
    expect(await entriesOf(tenant.api, foreign)).toEqual([]);
    expect(await entriesOf(app.api, foreign)).toHaveLength(1);
    const text = await (await exported(tenant.key, foreign)).text();
    expect(text).toBe('');
  });
});

const exported = (credential: string, query = ''): Promise<Response> =>
  fetch(`${app.url}/api/audit-log/export?${query}`, { headers: { authorization: `Bearer ${credential}` } });

describe('the export', () => {
  it('has every entry a line, oldest first, and is an entry itself', async () => {
    const before = (await entriesOf(tenant.api, 'limit=1000')).toReversed();
    const response = await exported(tenant.key);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="spandrel-audit-[\d-]+\.jsonl"$/,
    );
    const text = await response.text();
    expect(
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as AuditEntry),
    ).toEqual(before);
    const [entry] = await entriesOf(tenant.api, 'limit=1');
    expect(entry).toMatchObject({ action: 'audit_log.exported', target_id: tenant.org.id, details: {} });
  });

  it('takes the filters of the list', async () => {
    const text = await (await exported(tenant.key, 'action=org.created')).text();
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as AuditEntry).action),
    ).toEqual(['org.created']);
    const [entry] = await entriesOf(tenant.api, 'limit=1');
    expect(entry!.details).toEqual({ action: ['org.created'] });
  });
});

describe('refusals', () => {
  it('are counted by who, where and why, and are in the log of whose credential it was', async () => {
    const reader = await tenant.createKey(['read']);
    const asReader = app.anonymous.as(reader.key);
    for (let n = 0; n < 30; n++) {
      expect((await asReader.delete('/api/traces')).status).toBe(403);
      expect((await app.anonymous.as('nonsense').get('/api/traces')).status).toBe(401);
      expect((await app.anonymous.post('/api/session', { credential: 'nonsense' })).status).toBe(401);
    }
    await app.app.get(RecordRefusals).execute();
    const [refused, ...rest] = await entriesOf(tenant.api, 'action=request.refused');
    expect(rest).toEqual([]);
    expect(refused).toMatchObject({
      ...{ actor: `key:${reader.id}`, actor_name: 'Ours', address: '127.0.0.1', target_id: 'DELETE /api/traces' },
      ...{ org_id: tenant.org.id, project_id: tenant.project.id, request_id: expect.any(String) },
      details: { code: 'insufficient_scope', status: 403, count: 30 },
    });
    const ofService = (await entriesOf(app.api, 'action=request.refused')).filter(({ org_id }) => org_id === null);
    expect(ofService.map(({ target_id, actor, details }) => [target_id, actor, details['count']]).toSorted()).toEqual([
      ['GET /api/traces', 'nobody', 30],
      ['POST /api/session', 'nobody', 30],
    ]);
    const metrics = await (await fetch(`${app.url}/metrics`, { headers: app.api.headers })).text();
    expect(metrics).toContain('spandrel_requests_refused_total{code="insufficient_scope"} 30');
    expect(metrics).toContain('spandrel_requests_refused_total{code="unauthenticated"} 60');
  });
});

describe('the log of its own', () => {
  it('goes on in a new file when the old one is renamed, and waits for one that cannot be written', async () => {
    const all = async (): Promise<number> => (await entriesOf(app.api, 'limit=1000')).length;
    await until(async () => (await lines(file)).length === (await all()));
    const before = await all();
    const rotated = join(directory, 'audit.1.jsonl');
    await rename(file, rotated);
    await tenant.createKey(['read']);
    await until(async () => (await lines(file).catch(() => [])).length === 1);
    expect(await lines(rotated)).toHaveLength(before);

    await rename(file, join(directory, 'audit.2.jsonl'));
    const teller = app.app.get(ForwardEntries) as unknown as { target: (text: string) => Promise<void> };
    const { target } = teller;
    teller.target = () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    await tenant.createKey(['read']);
    const metric = async (): Promise<string> =>
      (await (await fetch(`${app.url}/metrics`, { headers: app.api.headers })).text())
        .split('\n')
        .filter((line) => line.startsWith('spandrel_audit_log_'))
        .join('\n');
    await until(async () => /write_failures_total [1-9]/.test(await metric()));
    expect(await metric()).toContain('spandrel_audit_log_waiting_entries 1');
    teller.target = target;
    await tenant.createKey(['read']);
    await until(async () => (await lines(file).catch(() => [])).length === 2);
    const [waited, next] = await lines(file);
    expect(next!.seq).toBe(waited!.seq! + 1);
  });
});

describe('spandrel admin audit', () => {
  const admin = (...args: string[]) =>
    runCommand(
      (settings) => adminCommand('').parseAsync([...args, ...settings], { from: 'user' }),
      ['--mode', 'cloud', '--data-dir', tempDir()],
      { DATABASE_URL: url, SPANDREL_SECRET_KEY: SECRET_KEY },
    );

  it('lists by the same filters, and exports', async () => {
    const { out } = await admin('audit', '--org', tenant.org.id, '--action', 'org.created,org.updated', '--json');
    expect((JSON.parse(out) as AuditEntry[]).map(({ action }) => action)).toEqual(['org.updated', 'org.created']);
    const { out: people } = await admin('audit', '--org', tenant.org.id, '--action', 'org.updated');
    expect(people).toContain(`key:${tenant.keyId}`);
    expect(people).toContain('Ours too');
    const { out: file } = await admin('audit', 'export', '--org', tenant.org.id, '--action', 'org.created');
    expect(JSON.parse(file)).toMatchObject({ action: 'org.created', org_id: tenant.org.id });
    const [entry] = await entriesOf(tenant.api, 'limit=1');
    expect(entry).toMatchObject({ action: 'audit_log.exported', actor: 'cli', address: null, request_id: null });
    const wrong = await admin('audit', '--action', 'key.creatd');
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('spandrel: --action: ')]);
  });

  it('says which chain is broken, and where', async () => {
    const whole = await admin('audit', 'verify');
    expect(whole.code).toBe(0);
    expect(whole.out).toContain(`${tenant.org.id}: `);
    expect(whole.out).not.toMatch(/fault/);
    const heads = join(directory, 'heads.jsonl');
    writeFileSync(heads, (await admin('audit', 'heads')).out);
    expect((await admin('audit', 'verify', '--heads', heads)).code).toBe(0);

    await app.storage.write((tx) =>
      tx.run(rawSql(`update audit_log set actor = 'key:other' where chain = '${tenant.org.id}' and seq = 3`)),
    );
    const broken = await admin('audit', 'verify', '--chain', tenant.org.id);
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(/, 1 fault; .*\n {2}changed: entry 3 is not as it was written \(/);
    expect((await admin('audit', 'verify', '--chain', other.org.id)).code).toBe(0);

    await app.storage.write((tx) =>
      tx.run(rawSql(`delete from audit_log where chain = '${other.org.id}' and seq = 3`)),
    );
    const cut = await admin('audit', 'verify', '--chain', other.org.id, '--heads', heads, '--json');
    expect(cut.code).toBe(1);
    expect(JSON.parse(cut.out)).toMatchObject([{ chain: other.org.id, faults: [{ seq: 3, kind: 'missing' }] }]);
  });

  it.each([
    [['--chain', 'nothing'], '--chain: there is no chain nothing'],
    [['--heads', '/nowhere/heads'], '--heads: /nowhere/heads does not exist'],
  ])('does not verify %s', async (args, why) => {
    const { code, err } = await admin('audit', 'verify', ...args);
    expect([code, err]).toEqual([1, expect.stringContaining(`spandrel: ${why}`)]);
  });
});
