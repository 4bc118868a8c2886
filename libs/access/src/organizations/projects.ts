import { Injectable } from '@nestjs/common';
import {
  type CreateProject,
  type ListAccess,
  type ProjectResource,
  type UpdateProject,
  formatTimestamp,
} from '@spandrel/contract';
import { AuditTrail, changesBetween } from '@spandrel/audit';
import { invalidRequest, newId } from '@spandrel/kernel';
import { Storage, type Page } from '@spandrel/storage';
import { AccessSettings } from '../access.settings.js';
import type { Actor } from './actor.js';
import { mapPage, assertNotDeleting } from '../answers.js';
import { beingDeletedOf, RemovalStore, stateOf } from '../removal/removal.store.js';
import { OrganizationStore, ProjectStore } from './organization.store.js';
import { Project, type ProjectRow } from './organization.entity.js';
import { organizationDays, planDays, type OrganizationRetention } from './retention-policy.store.js';
import type { RemovalRow } from '../removal/removal.entity.js';

@Injectable()
export class Projects {
  private readonly planDays;

  constructor(
    private readonly storage: Storage,
    private readonly organizations: OrganizationStore,
    private readonly store: ProjectStore,
    private readonly audit: AuditTrail,
    private readonly settings: AccessSettings,
    private readonly removals: RemovalStore,
  ) {
    this.planDays = planDays(settings);
  }

  /** @throws NotFound `organization_not_found`, Conflict `being_deleted`, Invalid `validation_failed` for more days than it keeps. */
  async create(
    actor: Actor,
    orgId: string,
    body: Pick<CreateProject, 'name'> & Partial<CreateProject>,
  ): Promise<ProjectResource> {
    const { name, retention_days: retentionDays = null, protected: isProtected = false, rate_limit } = body;
    const row: ProjectRow = {
      ...{ id: newId(), orgId, name, retentionDays },
      ...{ protected: Number(isProtected), rateLimit: rate_limit ?? null, deletingAt: null, createdAt: Date.now() },
    };
    const details = auditedMembers(row);
    await this.storage.write(async (tx) => {
      const organization = await this.organizations.getForWrite(tx, actor, orgId);
      assertNotDeleting('organization', organization);
      this.assertKept(organization, retentionDays);
      tx.em.create(Project, row);
      const { id: projectId } = row;
      const target = { projectId, targetId: projectId, targetName: name };
      this.audit.record(tx, { action: 'project.created', orgId, ...target, details });
    });
    return projectResource(row, this.settings);
  }

  /** Changes the members given. @throws NotFound `project_not_found`, Conflict `being_deleted`, Invalid. */
  async update(actor: Actor, id: string, body: UpdateProject): Promise<ProjectResource> {
    const { name, retention_days: days, protected: isProtected, rate_limit } = body;
    return this.storage.write(async (tx) => {
      const project = await this.store.getForWrite(tx, actor, id);
      assertNotDeleting('project', project);
      const { orgId } = project;
      const before = auditedMembers(project);
      if (name !== undefined) project.name = name;
      if (isProtected !== undefined) project.protected = Number(isProtected);
      if (rate_limit !== undefined) project.rateLimit = rate_limit;
      if (days !== undefined) {
        this.assertKept((await this.organizations.find(tx, orgId))!, days);
        project.retentionDays = days;
      }
      const details = changesBetween(before, auditedMembers(project));
      if (Object.keys(details).length > 0) {
        const target = { projectId: id, targetId: id, targetName: project.name };
        this.audit.record(tx, { action: 'project.updated', orgId, ...target, details });
      }
      return projectResource(project, this.settings);
    });
  }

  /** The projects, oldest first. @throws NotFound `organization_not_found`, Invalid `invalid_cursor` */
  async list(actor: Actor, orgId: string, query: ListAccess): Promise<Page<ProjectResource>> {
    await this.organizations.get(actor, orgId);
    const page = await this.store.list(orgId, query);
    const removals = await this.removals.underWay(beingDeletedOf(page.items));
    return mapPage(page, (row) => projectResource(row, this.settings, removals.get(row.id)));
  }

  /** A project of the actor's organization, any for the operator. @throws NotFound `project_not_found` */
  async find(actor: Actor, id: string): Promise<ProjectResource> {
    return this.shown(await this.store.get(actor, id));
  }

  /** A project as it is shown, with how far its deletion is. */
  async shown(row: ProjectRow): Promise<ProjectResource> {
    return projectResource(row, this.settings, (await this.removals.underWay(beingDeletedOf([row]))).get(row.id));
  }

  private assertKept(organization: OrganizationRetention, days: number | null): void {
    const most = organizationDays(this.planDays, organization);
    if (days === null || most === null || days <= most) return;
    const message = `must be ${most} or less, the days that the organization keeps traces; null keeps them as long`;
    throw invalidRequest([{ path: 'retention_days', message }]);
  }
}

/** A project as the wire shows it. @param removal how far its deletion is. */
const projectResource = (
  row: ProjectRow,
  { projectRequestsPerSecond }: Pick<AccessSettings, 'projectRequestsPerSecond'>,
  removal?: RemovalRow,
): ProjectResource => ({
  id: row.id,
  org_id: row.orgId,
  ...auditedMembers(row),
  rate_limit: row.rateLimit ?? projectRequestsPerSecond,
  ...stateOf(row, removal),
  created_at: formatTimestamp(row.createdAt),
});

const auditedMembers = ({ name, retentionDays, protected: isProtected, rateLimit }: ProjectRow) => ({
  name,
  retention_days: retentionDays,
  protected: isProtected === 1,
  rate_limit: rateLimit,
});
