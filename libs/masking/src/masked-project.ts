import { Injectable } from '@nestjs/common';
import { holds } from '@spandrel/contract';
import { ModuleRef } from '@nestjs/core';
import type { Caller } from '@spandrel/http';
import { LOCAL_SCOPE, NotFound, PROJECT_DIRECTORY, type ProjectDirectory, type Scope } from '@spandrel/kernel';

/** Finds the project of a request about masking, within what its caller may see. */
@Injectable()
export class MaskedProject {
  constructor(private readonly modules: ModuleRef) {}

  /**
   * The project that a caller reads: the caller's own.
   * @throws NotFound `project_not_found` for any other.
   */
  own(scope: Scope, id: string): Scope {
    if (id !== scope.projectId) throw projectNotFound();
    return scope;
  }

  /**
   * The project whose rules a caller reads: the caller's own, and each that the caller administers.
   * @param caller `undefined` in local mode; has `read` or `admin`, or is the operator.
   * @throws NotFound `project_not_found`
   */
  async readable(caller: Caller | undefined, id: string): Promise<Scope> {
    if (caller?.scope && (caller.scope.projectId === id || !holds(caller.permissions, 'admin')))
      return this.own(caller.scope, id);
    return this.administered(caller, id);
  }

  /**
   * The project that a caller administers: one of the caller's organization, any for the operator.
   * @param caller `undefined` in local mode.
   * @throws NotFound `project_not_found`
   */
  async administered(caller: Caller | undefined, id: string): Promise<Scope> {
    if (caller === undefined) return this.own(LOCAL_SCOPE, id);
    const orgId = await this.modules.get<ProjectDirectory>(PROJECT_DIRECTORY, { strict: false }).organizationOf(id);
    if (orgId === undefined || (caller.scope !== null && caller.scope.orgId !== orgId)) throw projectNotFound();
    return { orgId, projectId: id };
  }
}

export const projectNotFound = (): NotFound => new NotFound('project_not_found', 'there is no such project');
