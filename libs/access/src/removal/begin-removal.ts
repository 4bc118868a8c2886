import { Injectable } from '@nestjs/common';
import type { OrganizationResource, ProjectResource } from '@spandrel/contract';
import { AuditTrail, type AuditedAct } from '@spandrel/audit';
import { currentContext } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { projectProtected } from '../answers.js';
import { BrowserSessionStore } from '../browser-sessions/browser-session.store.js';
import { requireOperator, type Actor } from '../organizations/actor.js';
import type { OrganizationRow, ProjectRow } from '../organizations/organization.entity.js';
import { OrganizationStore, ProjectStore } from '../organizations/organization.store.js';
import { Organizations } from '../organizations/organizations.js';
import { Projects } from '../organizations/projects.js';
import type { RemovalRow } from './removal.entity.js';
import { RemovalStore } from './removal.store.js';

/** Puts projects and organizations out of reach, for {@link RemovalTask} to take away (docs/spec/projects.md). */
@Injectable()
export class BeginRemoval {
  constructor(
    private readonly storage: Storage,
    private readonly projectStore: ProjectStore,
    private readonly organizationStore: OrganizationStore,
    private readonly projects: Projects,
    private readonly organizations: Organizations,
    private readonly removals: RemovalStore,
    private readonly sessions: BrowserSessionStore,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws NotFound `project_not_found`, Conflict `project_protected` */
  async ofProject(actor: Actor, id: string): Promise<ProjectResource> {
    const project = await this.storage.write(async (tx) => {
      const row = await this.projectStore.getForWrite(tx, actor, id);
      if (row.deletingAt !== null) return row;
      await this.beginProject(tx, row, Date.now());
      await this.sessions.moveAway(tx, 'project_id', id);
      return row;
    });
    return this.projects.shown(project);
  }

  /** @throws NotFound `organization_not_found`, DomainError `insufficient_scope`, Conflict `project_protected` */
  async ofOrganization(actor: Actor, id: string): Promise<OrganizationResource> {
    const organization = await this.storage.write(async (tx) => {
      const row = await this.organizationStore.getForWrite(tx, actor, id);
      requireOperator(actor, 'delete organizations');
      if (row.deletingAt === null) await this.beginOrganization(tx, row, Date.now());
      return row;
    });
    return this.organizations.shown(organization);
  }

  private async beginProject(tx: WriteTx, project: ProjectRow, now: number): Promise<void> {
    if (project.protected === 1) throw projectProtected(project);
    project.deletingAt = now;
    const { id, orgId, name } = project;
    await this.begin(tx, { kind: 'project', id, orgId, name }, now);
    const target = { orgId, projectId: id, targetId: id, targetName: name };
    this.audit.record(tx, { action: 'project.deletion_begun', ...target });
  }

  private async beginOrganization(tx: WriteTx, organization: OrganizationRow, now: number): Promise<void> {
    const projects = await this.projectStore.allForWrite(tx, organization.id);
    organization.deletingAt = now;
    await this.sessions.moveAway(tx, 'org_id', organization.id);
    for (const project of projects) if (project.deletingAt === null) await this.beginProject(tx, project, now);
    const { id, name } = organization;
    await this.begin(tx, { kind: 'org', id, orgId: id, name }, now);
    const act: AuditedAct = { action: 'org.deletion_begun', orgId: id, targetId: id, targetName: name };
    this.audit.record(tx, { ...act, details: { projects: projects.length } });
  }

  private begin(tx: WriteTx, what: Pick<RemovalRow, 'kind' | 'id' | 'orgId' | 'name'>, now: number): Promise<void> {
    return this.removals.insert(tx, {
      ...what,
      ...{
        requestedAt: now,
        requestedBy: currentContext().actor?.name ?? 'nobody',
        step: null,
        rowsDeleted: 0,
        counts: '{}',
      },
      ...{ leaseOwner: null, leaseUntil: 0, finishedAt: null },
      ...{ progressedAt: now, failures: 0, lastError: null },
    });
  }
}
