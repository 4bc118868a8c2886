import { Injectable } from '@nestjs/common';
import type { SessionProjects } from '@spandrel/contract';
import type { Caller } from '@spandrel/http';
import { CredentialStore } from '../credentials/credential.store.js';
import { openProjectsOf } from './roles.js';
import { PersonStore } from './person.store.js';

/** The projects that a session can be taken to (docs/spec/sign-in.md#projects-of-a-person). */
@Injectable()
export class ListSessionProjects {
  constructor(
    private readonly people: PersonStore,
    private readonly names: CredentialStore,
  ) {}

  /** A person's roles lead to several, a key or a JWT to its own, and the operator's token to none. */
  async of({ kind, id, scope }: Caller): Promise<SessionProjects['projects']> {
    if (kind === 'person') return openProjectsOf(await this.people.openProjects(id));
    if (!scope) return [];
    const names = await this.names.namesOf(scope.projectId);
    const org = { id: scope.orgId, name: names?.orgName ?? scope.orgId };
    return [{ id: scope.projectId, name: names?.projectName ?? scope.projectId, org, role: null }];
  }
}
