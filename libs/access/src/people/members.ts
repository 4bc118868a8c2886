import { Injectable } from '@nestjs/common';
import {
  fromColumns,
  memberSchema,
  formatTimestamp,
  isStorableText,
  type CreateMember,
  type Deleted,
  type ListAccess,
  type MemberResource,
  type Role,
  type UpdateMember,
} from '@spandrel/contract';
import { Conflict, invalidRequest, newId } from '@spandrel/kernel';
import { Storage, type Page, type WriteTx } from '@spandrel/storage';
import { AuditTrail, type AuditedAct } from '@spandrel/audit';
import { assertNotDeleting, memberNotFound, projectNotFound, mapPage } from '../answers.js';
import { requireRole, type Actor } from '../organizations/actor.js';
import { OrganizationStore, ProjectStore } from '../organizations/organization.store.js';
import { MakerKeys } from '../credentials/maker-keys.js';
import { Member, type MemberRow } from './person.entity.js';
import { MemberStore, type ListedMember } from './person.store.js';

/** Members of organizations, as their administrators see and change them (docs/spec/people.md#members). */
@Injectable()
export class Members {
  constructor(
    private readonly storage: Storage,
    private readonly organizations: OrganizationStore,
    private readonly projects: ProjectStore,
    private readonly store: MemberStore,
    private readonly makerKeys: MakerKeys,
    private readonly audit: AuditTrail,
  ) {}

  /** Gives a role to anyone who signs in with an e-mail address. @throws NotFound, Conflict, DomainError `insufficient_scope`. */
  async create(actor: Actor, orgId: string, { email, role, project_id }: CreateMember): Promise<MemberResource> {
    const projectId = project_id ?? null;
    if (projectId !== null) requireProjectRole(role);
    const now = Date.now();
    const row: MemberRow = {
      ...{ id: newId(), orgId, projectId, role, source: 'added', email, personId: null, createdAt: now },
    };
    await this.storage.write(async (tx) => {
      // Locked: two requests with one address come one after the other.
      const organization = await this.organizations.getForWrite(tx, actor, orgId);
      assertNotDeleting('organization', organization);
      if (projectId !== null) await this.requireProject(tx, actor, orgId, projectId);
      requireRole(actor, role);
      if (await this.store.has(tx, row))
        throw new Conflict('member_exists', 'this address has a role here already: change that one');
      tx.em.create(Member, row);
      this.audit.record(tx, { action: 'member.created', ...auditedMember(row) });
    });
    return memberResource({ ...row, personName: null, personEmail: null, confirmedAt: null, refusedAt: null });
  }

  /** Members with their roles, oldest first. @throws NotFound `organization_not_found`, Invalid `invalid_cursor`. */
  async list(actor: Actor, orgId: string, query: ListAccess): Promise<Page<MemberResource>> {
    await this.organizations.get(actor, orgId);
    return mapPage(await this.store.list(orgId, query), memberResource);
  }

  /** Gives a member another role. @throws NotFound, Conflict, DomainError `insufficient_scope`. */
  async update(actor: Actor, orgId: string, id: string, { role }: UpdateMember): Promise<MemberResource> {
    return this.storage.write(async (tx) => {
      const member = await this.findOwn(tx, actor, orgId, id);
      if (member.projectId !== null) requireProjectRole(role);
      requireRole(actor, member.role as Role);
      requireRole(actor, role);
      if (role !== 'owner') await this.requireOtherOwner(tx, actor, member);
      const from = member.role;
      if (from !== role) {
        member.role = role;
        const act = auditedMember(member);
        const details = { ...act.details, role: { from, to: role } };
        this.audit.record(tx, { action: 'member.updated', ...act, details });
      }
      return memberResource({ ...member, ...(await this.store.personOf(tx, member.personId)) });
    });
  }

  /** Takes a role away; it ends within a second. @throws as {@link update} does. */
  async delete(actor: Actor, orgId: string, id: string): Promise<Deleted> {
    await this.storage.write(async (tx) => {
      const member = await this.findOwn(tx, actor, orgId, id);
      if (member.role === 'owner') requireRole(actor, 'owner');
      await this.requireOtherOwner(tx, actor, member);
      tx.em.remove(member);
      this.audit.record(tx, { action: 'member.deleted', ...auditedMember(member) });
      if (member.personId !== null) await this.makerKeys.review(tx, member.personId);
    });
    return { id, deleted: true };
  }

  private async findOwn(tx: WriteTx, actor: Actor, orgId: string, id: string): Promise<MemberRow> {
    await this.organizations.getForWrite(tx, actor, orgId);
    const member = await this.store.findForWrite(tx, orgId, id);
    if (!member) throw memberNotFound();
    if (member.source === 'groups')
      throw new Conflict(
        'member_from_groups',
        'this role comes from a group of the identity provider: change it there',
      );
    return member;
  }

  /** The organization is locked: of two owners who leave at once one stays. The operator may leave it without any. */
  private async requireOtherOwner(tx: WriteTx, actor: Actor, member: MemberRow): Promise<void> {
    if (member.role !== 'owner' || actor.orgId === null) return;
    if (!(await this.store.hasOtherOwner(tx, member)))
      throw new Conflict('last_owner', 'this is the only owner of the organization: make another one first');
  }

  private async requireProject(tx: WriteTx, actor: Actor, orgId: string, id: string): Promise<void> {
    const project = isStorableText(id) ? await this.projects.find(tx, actor, id) : null;
    if (project?.orgId !== orgId) throw projectNotFound();
    assertNotDeleting('project', project);
  }
}

/** @throws Invalid `validation_failed` for a role that is one of a whole organization. */
function requireProjectRole(role: Role): void {
  if (role === 'owner' || role === 'admin') {
    const message = `must be editor, reviewer or viewer for one project: ${role} is a role of the whole organization`;
    throw invalidRequest([{ path: 'role', message }]);
  }
}

/** What the audit log says of a member. */
export const auditedMember = (row: MemberRow): Omit<AuditedAct, 'action'> => ({
  ...{ orgId: row.orgId, projectId: row.projectId, targetId: row.id, targetName: row.email },
  details: {
    ...{ email: row.email, role: row.role, project_id: row.projectId, source: row.source, person_id: row.personId },
  },
});

const memberResource = (row: ListedMember): MemberResource =>
  fromColumns(memberSchema, row, {
    role: row.role as Role,
    source: row.source as MemberResource['source'],
    person: row.personId === null ? null : { id: row.personId, name: row.personName, email: row.personEmail },
    ...providerStatus(row),
  });

/** Time after which what the identity provider said is no longer what it says now. */
const STATUS_MS_MAX = 86_400_000;

function providerStatus({
  confirmedAt,
  refusedAt,
}: Pick<ListedMember, 'confirmedAt' | 'refusedAt'>): Pick<MemberResource, 'provider_status' | 'provider_asked_at'> {
  const askedAt = refusedAt ?? confirmedAt;
  if (askedAt === null) return { provider_status: 'unknown', provider_asked_at: null };
  const isRecent = Date.now() - askedAt < STATUS_MS_MAX;
  const status = refusedAt !== null ? 'removed' : isRecent ? 'active' : 'unknown';
  return { provider_status: status, provider_asked_at: formatTimestamp(askedAt) };
}
