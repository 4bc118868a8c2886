/** Every command that administers, deletes or exports leaves an entry in the audit log (docs/spec/audit.md#actions). */
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditAction, AuditEntry } from '@spandrel/contract';
import { ADMIN_ACTIONS } from '../../apps/cli/src/admin-actions.js';
import { adminCommand } from '../../apps/cli/src/admin-command.js';
import { rotateSecrets } from '../../apps/cli/src/rotate-secrets.js';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';
import { tempDir } from '../support/spandrel.ts';
import { SECRET_KEY } from '../support/tenant.ts';

const NEW_SECRET_KEY = 'ab'.repeat(32);
const rules = join(tempDir(), 'rules.json');
writeFileSync(rules, JSON.stringify([{ masker: 'email' }]));

let postgres: TestPostgres;
let url: string;
beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'commands');
});
afterAll(() => postgres?.stop());

type Command = (args: readonly string[]) => Promise<unknown>;
const run = (command: Command) =>
  runCommand(command, ['--mode', 'cloud', '--data-dir', tempDir()], {
    DATABASE_URL: url,
    SPANDREL_SECRET_KEY: SECRET_KEY,
    SPANDREL_NEW_SECRET_KEY: NEW_SECRET_KEY,
  });
const admin = (...args: string[]) =>
  run((settings) => adminCommand('').parseAsync([...args, ...settings], { from: 'user' }));

async function made(...args: string[]): Promise<string> {
  const { code, out, err } = await admin(...args, '--json');
  if (code !== 0) throw new Error(err);
  return (JSON.parse(out) as { id: string }).id;
}
const newest = async (): Promise<AuditEntry[]> =>
  JSON.parse((await admin('audit', '--limit', '5', '--json')).out) as AuditEntry[];

/** Commands that read. */
const READING: ReadonlySet<string> = new Set([
  ...['listOrganizations', 'listProjects', 'listKeys', 'listMembers', 'listAudit', 'listAuditHeads', 'verifyAudit'],
  ...['showOrganization', 'showProject', 'showMasking', 'checkJwt'],
]);

const org = (): Promise<string> => made('org', 'create', '--name', 'Acme');
const project = async (): Promise<string> => made('project', 'create', '--org', await org(), '--name', 'Chat');
const key = async (): Promise<string> => made('key', 'create', '--project', await project(), '--scopes', 'read');
const member = async (of: string): Promise<string> =>
  made('member', 'add', '--org', of, '--email', 'ada@people.example', '--role', 'viewer');

/** The command line of each other command, on something of its own, with the entry that it leaves. */
const ACTS: Readonly<Record<string, [AuditAction, () => Promise<string[]>]>> = {
  createOrganization: ['org.created', async () => ['org', 'create', '--name', 'x']],
  updateOrganization: ['org.updated', async () => ['org', 'update', await org(), '--retention-days', 'ever']],
  deleteOrganization: ['org.deletion_begun', async () => ['org', 'delete', await org(), '--yes']],
  createProject: ['project.created', async () => ['project', 'create', '--org', await org(), '--name', 'x']],
  updateProject: ['project.updated', async () => ['project', 'update', await project(), '--protect']],
  deleteProject: ['project.deletion_begun', async () => ['project', 'delete', await project(), '--yes']],
  setMasking: ['project.masking_changed', async () => ['masking', 'set', await project(), '--rules', rules]],
  createKey: ['key.created', async () => ['key', 'create', '--project', await project(), '--scopes', 'read']],
  updateKey: ['key.updated', async () => ['key', 'update', await key(), '--name', 'renamed']],
  deleteKey: ['key.deleted', async () => ['key', 'delete', await key()]],
  createMember: [
    'member.created',
    async () => ['member', 'add', '--org', await org(), '--email', 'a@b.example', '--role', 'viewer'],
  ],
  updateMember: [
    'member.updated',
    async () => {
      const of = await org();
      return ['member', 'update', await member(of), '--org', of, '--role', 'editor'];
    },
  ],
  deleteMember: [
    'member.deleted',
    async () => {
      const of = await org();
      return ['member', 'remove', await member(of), '--org', of];
    },
  ],
  exportAudit: ['audit_log.exported', async () => ['audit', 'export']],
};

describe('every administrative command', () => {
  it('is tried here, or reads', () => {
    expect([...Object.keys(ACTS), ...READING].toSorted()).toEqual(Object.keys(ADMIN_ACTIONS).toSorted());
  });

  it.each(Object.entries(ACTS))(
    'leaves an entry with the account that ran it: %s',
    async (_command, [action, line]) => {
      const { code, err } = await admin(...(await line()));
      expect([code, err]).toEqual([0, '']);
      const [entry] = await newest();
      expect(entry).toMatchObject({ action, actor: 'cli', actor_name: userInfo().username, address: null });
      expect(entry!.hash).not.toBeNull();
    },
  );

  it('refuses to delete what is protected, with its organization, and leaves no entry of that', async () => {
    const of = await org();
    const id = await made('project', 'create', '--org', of, '--name', 'kept', '--protect');
    const before = await newest();
    for (const args of [
      ['project', 'delete', id, '--yes'],
      ['org', 'delete', of, '--yes'],
    ]) {
      const { code, err } = await admin(...args);
      expect([code, err]).toEqual([1, expect.stringContaining('protected')]);
    }
    expect(await newest()).toEqual(before);
    expect((await admin('project', 'list', '--org', of)).out).not.toContain('being deleted');
  });
});

describe('spandrel secrets rotate', () => {
  it('leaves an entry with counts, and neither key', async () => {
    const { code, err } = await run(rotateSecrets);
    expect([code, err]).toEqual([0, '']);
    const [entry] = await newest();
    expect(entry).toMatchObject({
      ...{ action: 'secrets.rotated', actor: 'cli', org_id: null },
      details: { rotated: 0, unreadable: [] },
    });
    for (const secret of [SECRET_KEY, NEW_SECRET_KEY]) expect(JSON.stringify(entry)).not.toContain(secret);
  });
});
