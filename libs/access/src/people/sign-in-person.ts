import { Injectable } from '@nestjs/common';
import { formatTimestamp } from '@spandrel/contract';
import { newId } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { AuditTrail, Refusals } from '@spandrel/audit';
import type { BrowserSessionRow } from '../browser-sessions/browser-session.entity.js';
import { BrowserSessionStore } from '../browser-sessions/browser-session.store.js';
import { newSessionToken, SESSION_MS_MAX } from '../browser-sessions/session-cookie.js';
import { SignOut } from '../browser-sessions/sign-out.js';
import { digestOf } from '../credentials/api-key.js';
import type { Confirmed } from '../oidc/identity-provider.js';
import { sealTokens } from '../oidc/sealed-tokens.js';
import { actingPerson, KeepPerson } from './keep-person.js';
import { openProjectsOf, type OpenProject } from './roles.js';
import type { PersonRow } from './person.entity.js';
import { PersonStore } from './person.store.js';

/** A browser that somebody signed in with an identity provider. */
export interface SignedInPerson {
  /** The cookie's value, which cannot be had again. */
  token: string;
  /** How long the session lasts at most, in milliseconds. */
  lastsMs: number;
}

/** Signs a browser in for a person whom the identity provider confirmed (docs/spec/sign-in.md#an-identity-provider). */
@Injectable()
export class SignInPerson {
  constructor(
    private readonly storage: Storage,
    private readonly keepPerson: KeepPerson,
    private readonly people: PersonStore,
    private readonly sessions: BrowserSessionStore,
    private readonly signOut: SignOut,
    private readonly audit: AuditTrail,
    private readonly refusals: Refusals,
  ) {}

  /**
   * @param replaces digest of the session that the browser had until now; it ends.
   * @returns `undefined` for somebody who has no role in any project. That is counted, and in the audit log soon: no number of
   *   attempts may hold up the log.
   */
  async execute(confirmed: Confirmed, replaces: string | null): Promise<SignedInPerson | undefined> {
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
  ): Promise<{ signedIn?: SignedInPerson; person: PersonRow }> {
    const token = newSessionToken();
    return this.storage.write(async (tx) => {
      const person = await this.keepPerson.execute(tx, identity);
      await tx.em.flush();
      const project = chosenOf(openProjectsOf(await this.people.openProjectsIn(tx, person.id)), person);
      if (!project) return { person };
      person.projectId = project.id;
      if (replaces !== null) await this.endReplaced(tx, replaces);
      const row = sessionRow(person, project, token);
      row.sealedTokens = sealTokens(tokens, token, row.id);
      this.sessions.insert(tx, row);
      this.audit.record(tx, {
        action: 'session.created',
        ...{ orgId: row.orgId, projectId: row.projectId, targetId: row.id, actor: actingPerson(person) },
        details: { project_id: row.projectId, expires_at: formatTimestamp(row.expiresAt), role: project.role },
      });
      return { person, signedIn: { token, lastsMs: SESSION_MS_MAX } };
    });
  }

  private async endReplaced(tx: WriteTx, digest: string): Promise<void> {
    const row = await this.sessions.find(tx, digest);
    if (row) await this.signOut.end(tx, row);
  }
}

/** The project that the person had open last, where that is still open to it. */
const chosenOf = (projects: readonly OpenProject[], { projectId }: PersonRow): OpenProject | undefined =>
  projects.find(({ id }) => id === projectId) ?? projects[0];

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
