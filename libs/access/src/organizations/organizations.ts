import { Injectable } from '@nestjs/common';
import {
  formatTimestamp,
  type CreateOrganization,
  type ListAccess,
  type OrganizationResource,
  type Plan,
  type UpdateOrganization,
} from '@spandrel/contract';
import { newId } from '@spandrel/kernel';
import { AuditTrail, changesBetween } from '@spandrel/audit';
import { AccessSettings } from '../access.settings.js';
import { Storage, type Page } from '@spandrel/storage';
import { requireOperator, type Actor } from './actor.js';
import { mapPage } from '../pages.js';
import { organizationNotFound } from '../not-found.js';
import type { OrganizationRow } from './organization.entity.js';
import { OrganizationStore } from './organization.store.js';

/** Organizations, as the operator and their own administrators see and change them. */
@Injectable()
export class Organizations {
  constructor(
    private readonly storage: Storage,
    private readonly store: OrganizationStore,
    private readonly audit: AuditTrail,
    private readonly settings: AccessSettings,
  ) {}

  /** @throws DomainError `insufficient_scope` for everyone but the operator. */
  async create(actor: Actor, { name, plan, rate_limit }: CreateOrganization): Promise<OrganizationResource> {
    requireOperator(actor, 'create organizations');
    const row: OrganizationRow = { id: newId(), name, plan, rateLimit: rate_limit ?? null, createdAt: Date.now() };
    const resource = this.resource(row);
    await this.storage.write(async (tx) => {
      this.store.insert(tx, row);
      const details = { name, plan, rate_limit: row.rateLimit };
      this.audit.record(tx, { action: 'org.created', orgId: row.id, targetId: row.id, targetName: name, details });
    });
    return resource;
  }

  /**
   * Changes the members given.
   * @throws NotFound `organization_not_found`, DomainError `insufficient_scope` when an administrator of the
   *   organization gives its plan or limit.
   */
  async update(
    actor: Actor,
    id: string,
    { name, plan, rate_limit }: UpdateOrganization,
  ): Promise<OrganizationResource> {
    return this.storage.write(async (tx) => {
      const organization = await this.store.findForWrite(tx, actor, id);
      if (!organization) throw organizationNotFound();
      if (plan !== undefined || rate_limit !== undefined) requireOperator(actor, 'change plan and rate_limit');
      const before = auditedMembers(organization);
      if (name !== undefined) organization.name = name;
      if (plan !== undefined) organization.plan = plan;
      if (rate_limit !== undefined) organization.rateLimit = rate_limit;
      const details = changesBetween(before, auditedMembers(organization));
      if (Object.keys(details).length > 0) {
        const targetName = organization.name;
        this.audit.record(tx, { action: 'org.updated', orgId: id, targetId: id, targetName, details });
      }
      return this.resource(organization);
    });
  }

  /** The actor's own, all for the operator; newest first. @throws Invalid `invalid_cursor`. */
  async list(actor: Actor, query: ListAccess): Promise<Page<OrganizationResource>> {
    return mapPage(await this.store.list(actor, query), (row) => this.resource(row));
  }

  private resource({ id, name, plan, rateLimit, createdAt }: OrganizationRow): OrganizationResource {
    return {
      id,
      name,
      plan: plan as Plan,
      rate_limit: rateLimit ?? this.settings.requestsPerSecond,
      created_at: formatTimestamp(createdAt),
    };
  }
}

/** What of an organization the audit log shows, by members of the wire. */
const auditedMembers = ({ name, plan, rateLimit }: OrganizationRow) => ({ name, plan, rate_limit: rateLimit });
