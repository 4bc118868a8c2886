import { Injectable } from '@nestjs/common';
import {
  type SessionProjects as SessionProjectsAnswer,
  formatTimestamp,
  type BrowserSessionResource,
} from '@spandrel/contract';
import { permissionsOfRole, type Caller } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { AuditTrail } from '@spandrel/audit';
import { BrowserSessionStore } from '../browser-sessions/browser-session.store.js';
import { newSessionToken } from '../browser-sessions/session-cookie.js';
import type { SignedIn } from '../browser-sessions/sign-in.js';
import { digestOf } from '../credentials/api-keys.js';
import { CredentialStore } from '../credentials/credential.store.js';
import { projectNotFound } from '../answers.js';
import { openTokens, sealTokens } from '../oidc/sealed-tokens.js';
import { PersonStore } from './person.store.js';
import { OidcSettings } from '../oidc/oidc.settings.js';

/** What a session is, and the projects that it can be taken to (docs/spec/sign-in.md#projects-of-a-person). */
@Injectable()
export class SessionProjects {
  private readonly identityProvider: BrowserSessionResource['identity_provider'];

  constructor(
    private readonly storage: Storage,
    private readonly people: PersonStore,
    private readonly sessions: BrowserSessionStore,
    private readonly audit: AuditTrail,
    private readonly names: CredentialStore,
    { issuer, label }: OidcSettings,
  ) {
    this.identityProvider = issuer === null ? null : { label };
  }

  /** A person's roles lead to several, a key or a JWT to its own, and the operator's token to none. */
  async list({ kind, id, scope }: Caller): Promise<SessionProjectsAnswer['projects']> {
    if (kind === 'person') return this.people.openProjects(id);
    if (!scope) return [];
    const { org, project } = (await this.namesOf(scope))!;
    return [{ ...project, org, role: null }];
  }

  /** Takes the session of a person to another project, under a new cookie. @throws NotFound `project_not_found` */
  async switch(caller: Caller, cookie: string | undefined, projectId: string): Promise<SignedIn> {
    if (caller.kind !== 'person' || cookie === undefined) throw projectNotFound();
    const token = newSessionToken();
    return this.storage.write(async (tx) => {
      const row = await this.sessions.find(tx, digestOf(cookie));
      const person = await this.people.findForWrite(tx, caller.id);
      const projects = await this.people.openProjects(caller.id, tx);
      const project = projects.find(({ id }) => id === projectId);
      if (!row || !person || !project) throw projectNotFound();
      const from = row.projectId;
      row.projectId = person.projectId = project.id;
      row.orgId = project.org.id;
      row.digest = digestOf(token);
      const opened = row.sealedTokens === null ? undefined : openTokens(row.sealedTokens, cookie, row.id);
      row.sealedTokens = opened ? sealTokens(opened.tokens, token, row.id, opened.tokenKey) : null;
      const details = { project_id: { from, to: project.id }, role: project.role };
      const place = { orgId: project.org.id, projectId: project.id, targetId: row.id };
      this.audit.record(tx, { action: 'session.updated', ...place, details });
      const { role, org } = project;
      const scope = { orgId: org.id, projectId: project.id };
      const switched = { ...caller, scope, role, permissions: permissionsOfRole(role) };
      return { token, lastsMs: row.expiresAt - Date.now(), caller: switched };
    });
  }

  /** Who is signed in (docs/spec/sign-in.md#who-is-signed-in). @param caller `undefined` where the request showed nothing that is valid. */
  async describe(caller: Caller | undefined): Promise<BrowserSessionResource> {
    if (!caller) return { ...NOBODY, identity_provider: this.identityProvider };
    const { kind, id, scope, permissions, expiresAt, role } = caller;
    const person = kind === 'person' ? await this.people.find(id) : null;
    const names = await this.namesOf(scope);
    return {
      mode: 'cloud',
      signed_in: true,
      // The route is closed to the token for metrics.
      kind: kind as BrowserSessionResource['kind'],
      id,
      org: names?.org ?? null,
      project: names?.project ?? null,
      scopes: [...permissions],
      expires_at: expiresAt === null ? null : formatTimestamp(expiresAt),
      person: person && { id, name: person.name, email: person.email },
      role: role ?? null,
      identity_provider: this.identityProvider,
    };
  }

  private async namesOf(scope: Scope | null) {
    if (!scope) return undefined;
    const { orgId, projectId } = scope;
    const names = await this.names.namesOf(projectId);
    return {
      org: { id: orgId, name: names?.orgName ?? orgId },
      project: { id: projectId, name: names?.projectName ?? projectId },
    };
  }
}

const NOBODY = {
  ...{ mode: 'cloud' as const, signed_in: false, kind: null, id: null, org: null, project: null, scopes: [] },
  ...{ expires_at: null, person: null, role: null },
};
