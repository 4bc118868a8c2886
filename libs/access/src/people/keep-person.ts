import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, newId, type ActingParty, type Logger } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { AuditTrail } from '@spandrel/audit';
import type { Identity } from '../oidc/identity-provider.js';
import { OidcSettings } from '../oidc/oidc.settings.js';
import type { MemberRow, PersonRow } from './person.entity.js';
import { MakerKeys } from '../credentials/maker-keys.js';
import { MemberStore } from './member.store.js';
import { auditedMember } from './members.js';
import { PersonStore } from './person.store.js';

type Place = Pick<MemberRow, 'orgId' | 'projectId' | 'role'>;

/** Keeps a person as the identity provider has it: name, address, and the roles of its groups (docs/spec/people.md#groups). */
@Injectable()
export class KeepPerson {
  constructor(
    private readonly people: PersonStore,
    private readonly members: MemberStore,
    private readonly makerKeys: MakerKeys,
    private readonly audit: AuditTrail,
    private readonly settings: OidcSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** In a transaction in which the person signs in, or is confirmed again. */
  async execute(tx: WriteTx, identity: Identity): Promise<PersonRow> {
    const now = Date.now();
    const person = await this.people.findOrCreate(tx, identity, now);
    person.name = identity.name;
    person.email = identity.email;
    person.signedInAt = now;
    person.refusedAt = null;
    await this.people.takeRoles(tx, person);
    await this.keepGroupRoles(tx, person, await this.wanted(tx, identity.groups));
    await this.makerKeys.review(tx, person.id, actingPerson(person));
    return person;
  }

  /** In a transaction that learns that the identity provider does not confirm a person any more. */
  async refuse(tx: WriteTx, personId: string): Promise<void> {
    const person = await this.people.findForWrite(tx, personId);
    if (!person) return;
    person.refusedAt ??= Date.now();
    await this.makerKeys.review(tx, personId, actingPerson(person));
  }

  /** What the settings give to groups; what names an organization or a project that is not there gives nothing. */
  private async wanted(tx: WriteTx, groups: readonly string[]): Promise<Place[]> {
    const rules = this.settings.groupRoles.filter(({ group }) => groups.includes(group));
    const places = await this.people.places(tx, [...new Set(rules.map(({ org }) => org))]);
    return rules.flatMap(({ org: orgId, project: projectId = null, role, group }) => {
      const isThere = places.some(
        (place) => place.orgId === orgId && (projectId === null || place.projectId === projectId),
      );
      if (isThere) return { orgId, projectId, role };
      this.logger.warn({ group, org: orgId, project: projectId }, 'auth.oidc.groups names what does not exist');
      return [];
    });
  }

  private async keepGroupRoles(tx: WriteTx, person: PersonRow, wanted: readonly Place[]): Promise<void> {
    const { id, email } = person;
    const actor = actingPerson(person);
    const had = await this.people.groupRoles(tx, id);
    const missing = new Map(wanted.map((place) => [keyOf(place), place]));
    for (const member of had) {
      if (missing.delete(keyOf(member))) continue;
      this.members.delete(tx, member);
      this.audit.record(tx, { action: 'member.deleted', ...auditedMember(member), actor });
    }
    for (const place of missing.values()) {
      const row = { ...place, id: newId(), source: 'groups', email, personId: id, createdAt: Date.now() };
      this.members.insert(tx, row);
      this.audit.record(tx, { action: 'member.created', ...auditedMember(row), actor });
    }
  }
}

/** A person as the audit log names it. */
export const actingPerson = ({ id, name, email }: PersonRow): ActingParty => ({
  ...{ name: `person:${id}`, label: name ?? email },
});

const keyOf = ({ orgId, projectId, role }: Place): string => JSON.stringify([orgId, projectId, role]);
