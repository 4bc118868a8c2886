/** The rules of a project: who sees and changes them, what is refused, how fast they hold (docs/spec/masking.md#routes). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEntry, MaskingResource, Problem, RecordingMasking, SpanResource } from '@spandrel/contract';
import { databaseOf } from '@spandrel/storage';
import { adminCommand } from '../../apps/cli/src/admin-command.js';
import type { Answer, Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';
import { serveInProcess, testSettings } from '../support/server-app.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { SECRET_KEY, type Tenant } from '../support/tenant.ts';

let postgres: TestPostgres;
let url: string;
let first: CloudApp;
let second: CloudApp;
let tenant: Tenant;
let other: Tenant;
let path: string;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'masking_rules');
  first = await cloudApp(url);
  second = await cloudApp(url);
  tenant = await first.createTenant();
  other = await first.createTenant();
  path = `/api/projects/${tenant.project.id}/masking`;
});
afterAll(async () => {
  await first?.close();
  await second?.close();
  await postgres?.stop();
});

const put = (rules: unknown, api: Api = tenant.api, of = path): Promise<Answer<MaskingResource & Problem>> =>
  api.send('PUT', of, { rules });
const EMAIL = {
  masker: 'email',
  fields: ['input', 'output', 'metadata', 'error', 'name', 'identity'],
  replace: 'label',
  label: 'email',
  config: {},
};

describe('masking rules', () => {
  it('are none at first, replaced as a whole, and logged without patterns', async () => {
    const { body: before } = await tenant.api.get<MaskingResource>(path);
    expect(before).toMatchObject({ project_id: tenant.project.id, rules: [], updated_at: null });
    expect(before.maskers.map(({ name }) => name)).toEqual([
      'email',
      'phone',
      'card',
      'iban',
      'ip',
      'secret',
      'pattern',
    ]);
    expect(before.maskers.at(-1)!.config_schema).toMatchObject({ properties: { pattern: {} } });
    const own = { masker: 'pattern', label: 'staff', fields: ['output', 'input'], config: { pattern: 'EMP-\\d{6}' } };
    const { status, body } = await put([{ masker: 'email' }, own]);
    expect([status, body.rules]).toEqual([200, [EMAIL, { ...own, fields: ['input', 'output'], replace: 'label' }]]);
    expect((await put([{ masker: 'email' }, own])).body.updated_at).toBe(body.updated_at);
    expect((await tenant.api.get<MaskingResource>(path)).body).toEqual(body);
    const log = await tenant.api.get<{ entries: AuditEntry[] }>('/api/audit-log?action=project.masking_changed');
    expect(log.body.entries).toHaveLength(1);
    expect(log.body.entries[0]).toMatchObject({
      target_id: tenant.project.id,
      actor: `key:${tenant.keyId}`,
      details: {
        rules: { from: [], to: [expect.stringContaining('email as label'), expect.stringContaining('staff')] },
      },
    });
    expect(JSON.stringify(log.body)).not.toContain('EMP-');
  });

  it('are shown to readers of the project, changed by administrators of the organization, and nothing to others', async () => {
    const reader = first.anonymous.as((await tenant.createKey(['read'])).key);
    const sender = first.anonymous.as((await tenant.createKey(['ingest'])).key);
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.post(`${path}/preview`, { text: 'a@b.co' })).body).toEqual({
      text: '[email]',
      found: [{ masker: 'email', label: 'email', count: 1 }],
    });
    const ownRules = { text: 'a@b.co', rules: [{ masker: 'email', label: 'mine' }] };
    const refused = await reader.post<Problem>(`${path}/preview`, ownRules);
    expect(refused.body).toMatchObject({ code: 'insufficient_scope', detail: expect.stringContaining('scope admin') });
    expect((await tenant.api.post(`${path}/preview`, ownRules)).body).toMatchObject({ text: '[mine]' });
    expect((await put([], reader)).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await sender.get(path)).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await sender.get<RecordingMasking>('/api/masking')).body).toMatchObject({
      rules: [EMAIL, {}],
      hash_key: null,
    });
    for (const answer of [
      await put([], other.api),
      await other.api.get(path),
      await other.api.post(`${path}/preview`, { text: 'x' }),
      await put([], tenant.api, '/api/projects/nothing/masking'),
      await put([], first.api, '/api/projects/nothing/masking'),
    ]) {
      expect(answer.body).toMatchObject({ code: 'project_not_found' });
    }
    const second = await tenant.api.post<{ id: string }>(`/api/orgs/${tenant.org.id}/projects`, { name: 'Second' });
    const secondPath = `/api/projects/${second.body.id}/masking`;
    const administrator = first.anonymous.as((await tenant.createKey(['admin'])).key);
    expect((await put([{ masker: 'email' }], administrator, secondPath)).status).toBe(200);
    for (const api of [administrator, first.api, tenant.api]) {
      const { status, body: shown } = await api.get<MaskingResource>(secondPath);
      expect([status, shown]).toMatchObject([200, { project_id: second.body.id, rules: [EMAIL] }]);
    }
    expect((await reader.get(secondPath)).body).toMatchObject({ code: 'project_not_found' });
    expect((await first.api.get('/api/projects/nothing/masking')).body).toMatchObject({ code: 'project_not_found' });
    const otherPath = `/api/projects/${other.project.id}/masking`;
    expect((await put([{ masker: 'ip', replace: 'hash' }], first.api, otherPath)).status).toBe(200);
    const { body } = await other.api.get<RecordingMasking>('/api/masking');
    expect(body).toMatchObject({ project_id: other.project.id, hash_key: expect.stringMatching(/^[\w-]{43}$/) });
  });

  it.each<[string, object, string]>([
    ['a masker that is not there', { masker: 'emial' }, 'rules[0].masker must be one of email, phone'],
    [
      'a pattern that is none',
      { masker: 'pattern', config: { pattern: '(' } },
      'rules[0].config is refused: error parsing',
    ],
    [
      'a pattern that is too large',
      { masker: 'pattern', config: { pattern: '(a|aa|aaa){300}a{600}' } },
      'and may have 2000; use fewer or shorter repetitions',
    ],
    ['no pattern', { masker: 'pattern' }, 'rules[0].config is refused: pattern is missing'],
    ['a config that the masker does not take', { masker: 'email', config: { strict: true } }, 'rules[0].config.strict'],
    ['a field that is not there', { masker: 'email', fields: ['inputs'] }, 'rules[0].fields[0]'],
    ['a label with blanks', { masker: 'email', label: 'an e-mail' }, 'rules[0].label'],
  ])('are refused with %s', async (_what, rule, detail) => {
    const { status, body } = await put([rule]);
    expect([status, body.code, body.detail]).toEqual([400, 'validation_failed', expect.stringContaining(detail)]);
  });

  it('hold on every server, those without any too', async () => {
    const on = (app: CloudApp): Api => app.anonymous.as(tenant.key);
    const shown = async (app: CloudApp): Promise<unknown> => {
      const { body: trace } = await on(app).post<{ id: string }>('/api/traces', {});
      const span = { trace_id: trace.id, name: 's', input: 'a@b.co' };
      const { body: made } = await on(app).post<{ id: string }>('/api/spans', span);
      return (await on(app).get<SpanResource>(`/api/spans/${made.id}`)).body.input;
    };
    for (const [rules, expected] of [
      [[{ masker: 'email' }], '[email]'],
      [[], 'a@b.co'],
      [[{ masker: 'email', label: 'mail' }], '[mail]'],
    ] as const) {
      expect((await put(rules)).status).toBe(200);
      // Where they were changed at once, elsewhere soon.
      expect(await shown(first)).toBe(expected);
      await until(async () => (await shown(second)) === expected);
    }
  });
});

describe('masking rules in local mode', () => {
  it('are those of its one project, replaced as a whole too', async () => {
    const settings = testSettings();
    const server = await serveInProcess(settings, databaseOf(settings));
    try {
      const local = '/api/projects/local/masking';
      expect((await put([{ masker: 'email' }], server.api, local)).status).toBe(200);
      expect((await put([{ masker: 'ip' }], server.api, local)).status).toBe(200);
      const { body } = await server.api.get<MaskingResource>(local);
      expect(body.rules.map(({ masker }) => masker)).toEqual(['ip']);
    } finally {
      await server.close();
    }
  });
});

describe('spandrel admin masking', () => {
  const admin = (...args: string[]) =>
    runCommand(
      (settings) => adminCommand('').parseAsync(['masking', ...args, ...settings], { from: 'user' }),
      ['--mode', 'cloud', '--data-dir', tempDir()],
      { DATABASE_URL: url, SPANDREL_SECRET_KEY: SECRET_KEY },
    );

  it('shows and replaces the rules of a project', async () => {
    const { id } = other.project;
    const rules = join(tempDir(), 'rules.json');
    writeFileSync(rules, JSON.stringify([{ masker: 'card', fields: ['input'] }]));
    expect((await admin('set', id, '--rules', rules)).out).toBe('card  label card  in input\n');
    expect((await admin('show', id)).out).toBe('card  label card  in input\n');
    writeFileSync(rules, '[]');
    expect((await admin('set', id, '--rules', rules)).out).toContain('No rules');
    expect((await admin('show', 'nothing')).err).toContain('there is no such project');
    writeFileSync(rules, JSON.stringify([{ masker: 'nobody' }]));
    expect((await admin('set', id, '--rules', rules)).err).toContain('must be one of email');
    expect((await admin('set', id, '--rules', `${rules}.gone`)).err).toContain('--rules: ');
  });
});
