import { Injectable } from '@nestjs/common';
import { formatTimestamp, type CreateProject, type ListAccess, type ProjectResource } from '@spandrel/contract';
import { newId } from '@spandrel/kernel';
import { AuditTrail } from '@spandrel/audit';
import { Storage, type Page } from '@spandrel/storage';
import type { Actor } from './actor.js';
import { mapPage } from '../pages.js';
import { organizationNotFound } from '../not-found.js';
import { OrganizationStore } from './organization.store.js';
import type { ProjectRow } from './project.entity.js';
import { ProjectStore } from './project.store.js';

/** Projects of organizations. */
@Injectable()
export class Projects {
  constructor(
    private readonly storage: Storage,
    private readonly organizations: OrganizationStore,
    private readonly store: ProjectStore,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws NotFound `organization_not_found` */
  async create(actor: Actor, orgId: string, { name }: CreateProject): Promise<ProjectResource> {
    const row: ProjectRow = { id: newId(), orgId, name, createdAt: Date.now() };
    await this.storage.write(async (tx) => {
      if (!(await this.organizations.findForWrite(tx, actor, orgId))) throw organizationNotFound();
      this.store.insert(tx, row);
      const { id: projectId } = row;
      const target = { projectId, targetId: projectId, targetName: name };
      this.audit.record(tx, { action: 'project.created', orgId, ...target, details: { name } });
    });
    return projectResource(row);
  }

  /** The projects, oldest first. @throws NotFound `organization_not_found`, Invalid `invalid_cursor` */
  async list(actor: Actor, orgId: string, query: ListAccess): Promise<Page<ProjectResource>> {
    if (!(await this.organizations.has(actor, orgId))) throw organizationNotFound();
    return mapPage(await this.store.list(orgId, query), projectResource);
  }
}

const projectResource = ({ id, orgId, name, createdAt }: ProjectRow): ProjectResource => ({
  id,
  org_id: orgId,
  name,
  created_at: formatTimestamp(createdAt),
});
