/** The table of browsers' sessions, on both databases. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccessSettings, accessFeature, administrationOf, CLI_ACTOR, JwtSettings } from '@spandrel/access';
import { createLogger } from '@spandrel/kernel';
import { openStorage, type Storage } from '@spandrel/storage';
import { BrowserSession } from '../../libs/access/src/browser-sessions/browser-session.entity.ts';
import { BrowserSessionStore } from '../../libs/access/src/browser-sessions/browser-session.store.js';
import { describeOnBothDatabases } from '../support/databases.ts';
import { testSettings } from '../support/server-app.ts';

describeOnBothDatabases('sessions of browsers', ({ newDatabase }) => {
  let storage: Storage;
  let store: BrowserSessionStore;
  beforeAll(async () => {
    const logger = createLogger('silent', 'test');
    storage = await openStorage(await newDatabase('sessions'), { entities: accessFeature.entities as never, logger });
    store = new BrowserSessionStore(storage);
  });
  afterAll(() => storage?.close());

  it('are found by their digest as long as their key is there, and deleted once they have ended', async () => {
    const settings = testSettings();
    const { organizations, projects, keys } = administrationOf(
      storage,
      settings.of(AccessSettings),
      settings.of(JwtSettings),
    );
    const org = await organizations.create(CLI_ACTOR, { name: 'o', plan: 'team', rate_limit: 7 });
    const project = await projects.create(CLI_ACTOR, org.id, { name: 'p' });
    const key = await keys.create(CLI_ACTOR, { name: 'k', scopes: ['read'], project_id: project.id });
    const tenant = { orgId: org.id, projectId: project.id };
    const nobody = { personId: null, refreshedAt: null, refreshingAt: null, sealedTokens: null };
    const row = { ...tenant, ...nobody, scopes: '["read"]', expiresAt: 1_000, usedAt: 10, createdAt: 10 };
    await storage.write(async (tx) => {
      tx.em.create(BrowserSession, { ...row, id: 'of-key', digest: 'k', keyId: key.id, subject: null });
      tx.em.create(BrowserSession, { ...row, id: 'of-jwt', digest: 'j', keyId: null, subject: 'user', expiresAt: 500 });
      tx.em.create(BrowserSession, { ...row, id: 'unused', digest: 'u', keyId: key.id, subject: null, usedAt: 5 });
    });
    const found = async (): Promise<string[]> =>
      (await store.byDigest(['j', 'k', 'u', 'x'])).map(({ id }) => id).toSorted();
    expect(await store.byDigest(['k'])).toMatchObject([
      {
        ...{ id: 'of-key', digest: 'k', ...tenant, scopes: '["read"]', keyId: key.id, subject: null },
        ...{ keyName: 'k', rateLimit: 7 },
        ...{ expiresAt: 1_000, usedAt: 10 },
        ...{ personId: null, refreshedAt: null, sealedTokens: null, role: null, label: 'k' },
      },
    ]);
    expect(await found()).toEqual(['of-jwt', 'of-key', 'unused']);
    expect(await storage.write((tx) => store.find(tx, 'j'))).toMatchObject({ id: 'of-jwt', subject: 'user' });

    await storage.write(async (tx) => {
      await store.use(tx, ['of-jwt'], 30);
      await store.use(tx, ['of-jwt'], 20);
    });
    expect((await store.byDigest(['j']))[0]!.usedAt).toBe(30);

    await storage.write((tx) => store.deleteEnded(tx, 400, 5));
    expect(await found()).toEqual(['of-jwt', 'of-key']);
    await storage.write((tx) => store.deleteEnded(tx, 500, 5));
    expect(await found()).toEqual(['of-key']);
    await keys.delete(CLI_ACTOR, key.id);
    expect(await found()).toEqual([]);
    await storage.write((tx) => store.deleteEnded(tx, 0, 0));
    expect(await storage.write((tx) => store.delete(tx, 'of-key'))).toBe(false);
  });
});
