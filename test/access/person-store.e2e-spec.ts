/** Rows of people, their roles and their sessions, on both databases; cloud mode itself runs on Postgres alone. */
import { expect, it } from '@jest/globals';
import { AccessSettings, accessFeature, administrationOf, CLI_ACTOR, JwtSettings } from '@spandrel/access';
import { auditFeature } from '@spandrel/audit';
import { createLogger } from '@spandrel/kernel';
import { openStorage } from '@spandrel/storage';
import { BrowserSession } from '../../libs/access/src/browser-sessions/browser-session.entity.ts';
import { BrowserSessionStore } from '../../libs/access/src/browser-sessions/browser-session.store.ts';
import { Member } from '../../libs/access/src/people/person.entity.ts';
import { PersonStore } from '../../libs/access/src/people/person.store.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { testSettings } from '../support/server-app.ts';

const ADA = { issuer: 'https://id.example', subject: 'ada' };

describeOnBothDatabases('people', ({ newDatabase }) => {
  it('have roles by address, which lead to projects and let their sessions in', async () => {
    const storage = await openStorage(await newDatabase('people'), {
      entities: [...accessFeature.entities, ...auditFeature.entities],
      logger: createLogger('silent', 'test'),
    });
    const settings = testSettings();
    const administration = administrationOf(storage, settings.of(AccessSettings), settings.of(JwtSettings));
    const [people, sessions] = [new PersonStore(storage), new BrowserSessionStore(storage)];
    try {
      const { organizations, projects, members } = administration;
      const org = await organizations.create(CLI_ACTOR, { name: 'Org', plan: 'team' });
      const [first, second] = [
        await projects.create(CLI_ACTOR, org.id, { name: 'B' }),
        await projects.create(CLI_ACTOR, org.id, { name: 'A' }),
      ];
      const email = 'ada@people.example';
      const viewer = await members.create(CLI_ACTOR, org.id, { email, role: 'viewer' });
      await members.create(CLI_ACTOR, org.id, { email, role: 'editor', project_id: second.id });

      const person = await storage.write(async (tx) => {
        const made = await people.findOrCreate(tx, ADA, 10);
        made.email = email;
        made.name = 'Ada';
        await tx.em.flush();
        await people.takeRoles(tx, made);
        return { ...made };
      });
      expect(await storage.write(async (tx) => (await people.findOrCreate(tx, ADA, 20)).id)).toBe(person.id);
      expect(await people.find(person.id)).toMatchObject({ ...ADA, email, name: 'Ada', createdAt: 10 });
      const open = await people.openProjects(person.id);
      expect(open.map(({ id, role, org: { name } }) => [id, role, name])).toEqual([
        [second.id, 'editor', 'Org'],
        [first.id, 'viewer', 'Org'],
      ]);
      const place = { orgId: org.id, projectId: second.id, role: 'editor', rateLimit: null, projectRateLimit: null };
      expect(await people.findPlace(person.id, second.id)).toEqual(place);
      expect((await people.findPlace(person.id, first.id))?.role).toBe('viewer');
      expect(await people.findPlace(person.id, 'nothing')).toBeUndefined();
      expect(await people.findPlace('nobody', first.id)).toBeUndefined();
      const places = await storage.write((tx) => people.places(tx, [org.id, 'nothing']));
      expect(places.map(({ projectId }) => projectId).toSorted()).toEqual([first.id, second.id].toSorted());
      const listed = await members.list(CLI_ACTOR, org.id, { limit: 10 });
      expect(listed.items.map(({ role, person: of }) => [role, of?.name])).toEqual([
        ['viewer', 'Ada'],
        ['editor', 'Ada'],
      ]);

      const row = {
        ...{ orgId: org.id, keyId: null, subject: null, personId: person.id, scopes: '[]', sealedTokens: null },
        ...{ refreshedAt: 10, refreshingAt: null, expiresAt: 1_000, usedAt: 10, createdAt: 10 },
      };
      await storage.write(async (tx) => {
        tx.em.create(BrowserSession, { ...row, id: 'in-first', digest: 'f', projectId: first.id });
        tx.em.create(BrowserSession, { ...row, id: 'in-second', digest: 's', projectId: second.id });
      });
      const roles = async (): Promise<(string | null)[][]> =>
        (await sessions.byDigest(['f', 's'])).map(({ id, role, label }) => [id, role, label]).toSorted();
      // Ada has two roles in the second project: the one that may most counts.
      expect(await roles()).toEqual([
        ['in-first', 'viewer', 'Ada'],
        ['in-second', 'editor', 'Ada'],
      ]);

      const [found] = await sessions.byDigest(['f']);
      const begin = (now: number, since: number) =>
        storage.write((tx) => sessions.beginConfirming(tx, found!, now, since));
      expect([await begin(50, 0), await begin(60, 40), await begin(70, 60)]).toEqual([true, false, true]);
      await storage.write((tx) => sessions.endConfirming(tx, 'in-first'));
      expect(await begin(80, 0)).toBe(true);

      await members.delete(CLI_ACTOR, org.id, viewer.id);
      expect(await roles()).toEqual([
        ['in-first', null, 'Ada'],
        ['in-second', 'editor', 'Ada'],
      ]);
      await storage.write(async (tx) => {
        tx.em.create(Member, {
          ...{ id: 'by-group', orgId: org.id, projectId: null, role: 'admin', source: 'groups' },
          ...{ email: null, personId: person.id, createdAt: 10 },
        });
      });
      expect((await roles()).map(([, role]) => role)).toEqual(['admin', 'admin']);
      const groupRoles = await storage.write((tx) => people.groupRoles(tx, person.id));
      expect(groupRoles.map(({ id }) => id)).toEqual(['by-group']);
      await storage.write((tx) => sessions.deleteEnded(tx, 20, 0));
      expect(await roles()).toHaveLength(2);
    } finally {
      await storage.close();
    }
  });
});
