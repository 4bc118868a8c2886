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
import { Storage, type Page } from '@spandrel/storage';
import { AccessSettings } from '../access.settings.js';
import { requireOperator, type Actor } from './actor.js';
import { mapPage, assertNotDeleting } from '../answers.js';
import type { RemovalRow } from '../removal/removal.entity.js';
import { beingDeletedOf, RemovalStore, stateOf } from '../removal/removal.store.js';
import { FOR_EVER, organizationDays, planDays } from './retention-policy.store.js';
import { Organization, type OrganizationRow } from './organization.entity.js';
import { OrganizationStore } from './organization.store.js';

/** Organizations, as the operator and their own administrators see and change them. */
@Injectable()
export class Organizations {
  constructor(
    private readonly storage: Storage,
    private readonly store: OrganizationStore,
    private readonly audit: AuditTrail,
    private readonly settings: AccessSettings,
    private readonly removals: RemovalStore,
  ) {}

  /** @throws DomainError `insufficient_scope` for everyone but the operator. */
  async create(actor: Actor, { name, plan, rate_limit }: CreateOrganization): Promise<OrganizationResource> {
    requireOperator(actor, 'create organizations');
    const row: OrganizationRow = {
      ...{ id: newId(), name, plan, rateLimit: rate_limit ?? null },
      ...{ retentionDays: null, deletingAt: null, createdAt: Date.now() },
    };
    const resource = this.resource(row);
    await this.storage.write(async (tx) => {
      tx.em.create(Organization, row);
      const details = { name, plan, rate_limit: row.rateLimit };
      this.audit.record(tx, { action: 'org.created', orgId: row.id, targetId: row.id, targetName: name, details });
    });
    return resource;
  }

  /** Changes the members given. @throws NotFound `organization_not_found`, Conflict, DomainError `insufficient_scope`. */
  async update(
    actor: Actor,
    id: string,
    { name, plan, rate_limit, retention_days: days }: UpdateOrganization,
  ): Promise<OrganizationResource> {
    return this.storage.write(async (tx) => {
      const organization = await this.store.getForWrite(tx, actor, id);
      assertNotDeleting('organization', organization);
      if (plan !== undefined || rate_limit !== undefined || days !== undefined) {
        requireOperator(actor, 'change plan, rate_limit and retention_days');
      }
      const before = auditedMembers(organization);
      if (name !== undefined) organization.name = name;
      if (plan !== undefined) organization.plan = plan;
      if (rate_limit !== undefined) organization.rateLimit = rate_limit;
      if (days !== undefined) organization.retentionDays = days === 'plan' ? null : (days ?? FOR_EVER);
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
    const page = await this.store.list(actor, query);
    const removals = await this.removals.underWay(beingDeletedOf(page.items));
    return mapPage(page, (row) => this.resource(row, removals.get(row.id)));
  }

  /** The actor's own, any for the operator. @throws NotFound `organization_not_found` */
  async find(actor: Actor, id: string): Promise<OrganizationResource> {
    return this.shown(await this.store.get(actor, id));
  }

  /** An organization as it is shown, with how far its deletion is. */
  async shown(row: OrganizationRow): Promise<OrganizationResource> {
    return this.resource(row, (await this.removals.underWay(beingDeletedOf([row]))).get(row.id));
  }

  private resource(row: OrganizationRow, removal?: RemovalRow): OrganizationResource {
    const { id, name, plan, rateLimit, retentionDays, createdAt } = row;
    return {
      id,
      name,
      plan: plan as Plan,
      rate_limit: rateLimit ?? this.settings.requestsPerSecond,
      retention_days: organizationDays(planDays(this.settings), row),
      retention_by: retentionDays === null ? 'plan' : 'organization',
      ...stateOf(row, removal),
      created_at: formatTimestamp(createdAt),
    };
  }
}

const auditedMembers = ({ name, plan, rateLimit, retentionDays }: OrganizationRow) => ({
  ...{ name, plan, rate_limit: rateLimit },
  retention_days: retentionDays === null ? 'plan' : retentionDays === FOR_EVER ? 'for ever' : retentionDays,
});
