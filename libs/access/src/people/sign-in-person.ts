import { Injectable, Inject } from '@nestjs/common';
import { formatTimestamp } from '@spandrel/contract';
import { newId, LOGGER, type ActingParty, type Logger } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { AuditTrail, Refusals } from '@spandrel/audit';
import { BrowserSession, type BrowserSessionRow } from '../browser-sessions/browser-session.entity.js';
import { newSessionToken, SESSION_MS_MAX } from '../browser-sessions/session-cookie.js';
import { SignOut, type SignedIn } from '../browser-sessions/sign-in.js';
import { digestOf } from '../credentials/api-keys.js';
import type { Confirmed, Identity } from '../oidc/identity-provider.js';
import { sealTokens } from '../oidc/sealed-tokens.js';
import { type OpenProject, PersonStore } from './person.store.js';
import { Member, type PersonRow, type MemberRow } from './person.entity.js';
import { OidcSettings } from '../oidc/oidc.settings.js';
import { MakerKeys } from '../credentials/maker-keys.js';
import { auditedMember } from './members.js';

type Place = Pick<MemberRow, 'orgId' | 'projectId' | 'role'>;
type NewSession = Pick<SignedIn, 'token' | 'lastsMs'>;

/** Keeps a person as the identity provider has it: name, address, and the roles of its groups (docs/spec/people.md#groups). */
@Injectable()
export class KeepPerson {
  constructor(
    private readonly people: PersonStore,
    private readonly makerKeys: MakerKeys,
    private readonly audit: AuditTrail,
    private readonly settings: OidcSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** In a transaction in which the person signs in, or is confirmed again. */
  async execute(tx: WriteTx, identity: Identity): Promise<PersonRow> {
    const now = Date.now();
    const person = await this.people.findOrCreate(tx, identity, now);
    person.name = identity.name;
    person.email = identity.email;
    person.signedInAt = now;
    person.refusedAt = null;
    await this.people.takeRoles(tx, person);
    await this.keepGroupRoles(tx, person, await this.wanted(tx, identity.groups));
    await this.makerKeys.review(tx, person.id, actingPerson(person));
    return person;
  }

  /** In a transaction that learns that the identity provider does not confirm a person any more. */
  async refuse(tx: WriteTx, personId: string): Promise<void> {
    const person = await this.people.findForWrite(tx, personId);
    if (!person) return;
    person.refusedAt ??= Date.now();
    await this.makerKeys.review(tx, personId, actingPerson(person));
  }

  /** What the settings give to groups; what names an organization or a project that is not there gives nothing. */
  private async wanted(tx: WriteTx, groups: readonly string[]): Promise<Place[]> {
    const rules = this.settings.groupRoles.filter(({ group }) => groups.includes(group));
    const places = await this.people.places(tx, [...new Set(rules.map(({ org }) => org))]);
    return rules.flatMap(({ org: orgId, project: projectId = null, role, group }) => {
      const isThere = places.some(
        (place) => place.orgId === orgId && (projectId === null || place.projectId === projectId),
      );
      if (isThere) return { orgId, projectId, role };
      this.logger.warn({ group, org: orgId, project: projectId }, 'auth.oidc.groups names what does not exist');
      return [];
    });
  }

  private async keepGroupRoles(tx: WriteTx, person: PersonRow, wanted: readonly Place[]): Promise<void> {
    const { id, email } = person;
    const actor = actingPerson(person);
    const had = await this.people.groupRoles(tx, id);
    const missing = new Map(wanted.map((place) => [keyOf(place), place]));
    for (const member of had) {
      if (missing.delete(keyOf(member))) continue;
      tx.em.remove(member);
      this.audit.record(tx, { action: 'member.deleted', ...auditedMember(member), actor });
    }
    for (const place of missing.values()) {
      const row = { ...place, id: newId(), source: 'groups', email, personId: id, createdAt: Date.now() };
      tx.em.create(Member, row);
      this.audit.record(tx, { action: 'member.created', ...auditedMember(row), actor });
    }
  }
}

const actingPerson = ({ id, name, email }: PersonRow): ActingParty => ({
  ...{ name: `person:${id}`, label: name ?? email },
});

const keyOf = ({ orgId, projectId, role }: Place): string => JSON.stringify([orgId, projectId, role]);

/** Signs a browser in for a person whom the identity provider confirmed (docs/spec/sign-in.md#an-identity-provider). */
@Injectable()
export class SignInPerson {
  constructor(
    private readonly storage: Storage,
    private readonly keepPerson: KeepPerson,
    private readonly people: PersonStore,
    private readonly signOut: SignOut,
    private readonly audit: AuditTrail,
    private readonly refusals: Refusals,
  ) {}

  /**
   * @param replaces digest of the session that the browser had until now; it ends.
   * @returns `undefined` for somebody without a role in any project, which is noted for the audit log.
   */
  async execute(confirmed: Confirmed, replaces: string | null): Promise<NewSession | undefined> {
    const { signedIn, person } = await this.signIn(confirmed, replaces);
    if (signedIn) return signedIn;
    const { issuer, subject } = confirmed.identity;
    this.refusals.noteSignIn({
      ...{ actor: actingPerson(person), targetId: person.id, targetName: person.email ?? person.name },
      ...{ reason: 'no_role', details: { issuer, subject } },
    });
    return undefined;
  }

  private async signIn(
    { identity, tokens }: Confirmed,
    replaces: string | null,
  ): Promise<{ signedIn?: NewSession; person: PersonRow }> {
    const token = newSessionToken();
    return this.storage.write(async (tx) => {
      const person = await this.keepPerson.execute(tx, identity);
      await tx.em.flush();
      const projects = await this.people.openProjects(person.id, tx);
      const project = projects.find(({ id }) => id === person.projectId) ?? projects[0];
      if (!project) return { person };
      person.projectId = project.id;
      await this.signOut.endReplaced(tx, replaces);
      const row = sessionRow(person, project, token);
      row.sealedTokens = sealTokens(tokens, token, row.id);
      tx.em.create(BrowserSession, row);
      this.audit.record(tx, {
        action: 'session.created',
        ...{ orgId: row.orgId, projectId: row.projectId, targetId: row.id, actor: actingPerson(person) },
        details: { project_id: row.projectId, expires_at: formatTimestamp(row.expiresAt), role: project.role },
      });
      return { person, signedIn: { token, lastsMs: SESSION_MS_MAX } };
    });
  }
}

function sessionRow(
  { id: personId }: PersonRow,
  { id: projectId, org }: OpenProject,
  token: string,
): BrowserSessionRow {
  const now = Date.now();
  return {
    ...{ id: newId(), digest: digestOf(token), orgId: org.id, projectId },
    ...{ keyId: null, subject: null, personId, scopes: '[]' },
    ...{ refreshedAt: now, refreshingAt: null, sealedTokens: null },
    ...{ expiresAt: now + SESSION_MS_MAX, usedAt: now, createdAt: now },
  };
}
