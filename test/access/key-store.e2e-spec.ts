/** The table of API keys, on both databases: who makes them, and when they were used. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccessSettings, accessFeature, administrationOf, CLI_ACTOR, JwtSettings } from '@spandrel/access';
import { createLogger, newId } from '@spandrel/kernel';
import { openStorage, sql, type Storage, type StorageConfig } from '@spandrel/storage';
import { digestOf } from '../../libs/access/src/credentials/api-keys.js';
import { ApiKeyStore, CredentialStore } from '../../libs/access/src/credentials/credential.store.js';
import { describeOnBothDatabases } from '../support/databases.ts';
import { testSettings } from '../support/server-app.ts';

const MINUTE = 60_000;
const logger = createLogger('silent', 'test');

describeOnBothDatabases('API keys', ({ newDatabase }) => {
  let config: StorageConfig;
  let storage: Storage;
  let store: ApiKeyStore;
  let projectId: string;
  let orgId: string;

  const open = async (): Promise<void> => {
    storage = await openStorage(config, { entities: accessFeature.entities as never, logger });
    store = new ApiKeyStore(storage);
  };
  const administration = () => {
    const settings = testSettings();
    return administrationOf(storage, settings.of(AccessSettings), settings.of(JwtSettings));
  };
  const makeKey = async (name: string) =>
    administration().keys.create(CLI_ACTOR, { name, scopes: ['read', 'write'], project_id: projectId });
  const listed = async () => (await administration().keys.list(CLI_ACTOR, { limit: 100 })).items;

  beforeAll(async () => {
    config = await newDatabase('keys');
    await open();
    const { organizations, projects } = administration();
    orgId = (await organizations.create(CLI_ACTOR, { name: 'o', plan: 'team', rate_limit: null })).id;
    projectId = (await projects.create(CLI_ACTOR, orgId, { name: 'p', rate_limit: 7 })).id;
  });
  afterAll(() => storage?.close());

  it('keep the latest minute in which any server saw them used', async () => {
    const keys = await Promise.all(['a', 'b', 'c'].map(makeKey));
    const [a, b] = keys.map(({ id }) => id) as [string, string];
    await Promise.all([
      storage.write((tx) => store.use(tx, [a, b], 3 * MINUTE)),
      storage.write((tx) => store.use(tx, [b, a], 2 * MINUTE)),
      storage.write((tx) => store.use(tx, [b], 5 * MINUTE)),
    ]);
    const used = new Map((await listed()).map(({ name, last_used_at: at }) => [name, at]));
    expect([used.get('a'), used.get('b'), used.get('c')]).toEqual([
      ...['1970-01-01T00:03:00.000Z', '1970-01-01T00:05:00.000Z', null],
    ]);
  });

  it('are looked up with the strongest role of their maker in their project, and with every limit', async () => {
    const { id, key } = await makeKey('of ada');
    const row = async () => (await new CredentialStore(storage).keysByDigest([digestOf(key)]))[0];
    expect(await row()).toMatchObject({ id, role: null, makerPersonId: null, projectRateLimit: 7, keyRateLimit: null });
    const member = (role: string, project: string | null) =>
      sql`insert into member (id, org_id, project_id, role, source, email, person_id, created_at)
        values (${newId()}, ${orgId}, ${project}, ${role}, 'added', 'ada@people.example', 'ada', 1)`;
    await storage.write(async (tx) => {
      await tx.run(
        sql`insert into person (id, issuer, subject, created_at, signed_in_at) values ('ada', 'i', 's', 1, 2)`,
      );
      await tx.run(sql`update api_key set maker_person_id = 'ada' where id = ${id}`);
      for (const statement of [member('viewer', projectId), member('editor', projectId), member('admin', 'another')]) {
        await tx.run(statement);
      }
    });
    expect(await row()).toMatchObject({ role: 'editor', makerPersonId: 'ada', confirmedAt: 2, refusedAt: null });
    const keys = await storage.write((tx) => store.ofMaker(tx, 'ada'));
    expect(keys).toMatchObject([{ id, makerRole: expect.any(String), confirmedAt: 2 }]);
    await storage.write(async (tx) => void (await tx.run(sql`delete from member where role <> 'admin'`)));
    expect(await row()).toMatchObject({ role: null, makerPersonId: 'ada' });
  });
});
