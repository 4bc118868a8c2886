import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  fromColumns,
  keyResourceSchema,
  formatTimestamp,
  PERMISSIONS,
  isStorableText,
  type CreateKey,
  type Deleted,
  type KeyCreated,
  type KeyResource,
  type ListAccess,
  type UpdateKey,
  holds,
  SCOPES_OF_ROLES,
  type Permission,
  type Role,
  API_KEY_PREFIX,
  apiKeyOf,
} from '@spandrel/contract';
import { currentContext, invalidRequest, newId } from '@spandrel/kernel';
import { AuditTrail, changesBetween, type AuditedAct } from '@spandrel/audit';
import { Storage, type Page, type WriteTx } from '@spandrel/storage';
import { AccessSettings } from '../access.settings.js';
import { requireAll, type Actor } from '../organizations/actor.js';
import { ApiKey, type ApiKeyRow } from './api-key.entity.js';
import { ApiKeyStore, type ListedKey } from './credential.store.js';
import { mapPage, assertNotDeleting, projectNotFound } from '../answers.js';
import { ProjectStore } from '../organizations/organization.store.js';

/** API keys, as those who administer them see them. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly storage: Storage,
    private readonly projects: ProjectStore,
    private readonly store: ApiKeyStore,
    private readonly audit: AuditTrail,
    private readonly settings: AccessSettings,
  ) {}

  /**
   * Makes a key with scopes that the actor has. It ends with the person who makes it, unless it is one of a service account.
   * @param tokenKeyFor gives what the key has its maker confirmed by, of the new key and its id.
   * @returns the key too: it cannot be had again.
   * @throws NotFound `project_not_found`, Conflict `being_deleted`, Invalid, DomainError `insufficient_scope`.
   */
  async create(
    actor: Actor,
    { name, scopes, project_id, expires_at, service_account, rate_limit }: CreateKey,
    tokenKeyFor?: TokenKeyFor,
  ): Promise<KeyCreated> {
    requireAll(actor, scopes);
    const projectId = project_id ?? actor.projectId;
    if (projectId === null) {
      const message = 'must be given: the credential of the request belongs to no project';
      throw invalidRequest([{ path: 'project_id', message }]);
    }
    if (!isStorableText(projectId)) throw projectNotFound();
    const key = newApiKey();
    const given = { id: newId(), createdAt: Date.now(), expiresAt: expires_at ?? null };
    this.assertEnds(given);
    const maker = currentContext().actor;
    return this.storage.write(async (tx) => {
      const project = await this.projects.find(tx, actor, projectId);
      if (!project) throw projectNotFound();
      assertNotDeleting('project', project);
      const person = await this.personBehind(tx, actor);
      if (service_account === false && person === null) {
        const message = 'must be true: no person makes this key whose membership it could end with';
        throw invalidRequest([{ path: 'service_account', message }]);
      }
      const makerPersonId = service_account === true ? null : person;
      const tokenKey = makerPersonId === null ? undefined : await tokenKeyFor?.(tx, key, given.id);
      const made: ApiKeyRow = {
        ...given,
        orgId: project.orgId,
        projectId,
        name,
        prefix: shownPrefixOf(key),
        digest: digestOf(key),
        scopes: JSON.stringify(PERMISSIONS.filter((permission) => scopes.includes(permission))),
        ...{ maker: maker?.name ?? null, makerName: maker?.label ?? null, makerPersonId },
        ...{ suspendedAt: null, usedAt: null, rateLimit: rate_limit ?? null },
        ...{ sessionId: tokenKey?.sessionId ?? null, tokenKey: tokenKey?.sealed ?? null },
      };
      tx.em.create(ApiKey, made);
      this.audit.record(tx, { action: 'key.created', ...auditedKey(made) });
      await tx.em.flush();
      return { ...(await this.resource(tx, made.id)), key };
    });
  }

  /** The keys of the actor's organization (the operator sees all), newest first. @throws Invalid `invalid_cursor`. */
  async list(actor: Actor, query: ListAccess): Promise<Page<KeyResource>> {
    const now = Date.now();
    return mapPage(await this.store.list(actor, query), (key) => keyResource(key, this.settings, now));
  }

  /** Changes the members given. @throws NotFound `key_not_found`, DomainError `insufficient_scope`. */
  async update(actor: Actor, id: string, { name, rate_limit, service_account }: UpdateKey): Promise<KeyResource> {
    return this.storage.write(async (tx) => {
      const row = await this.store.getForWrite(tx, actor, id);
      const before = changeable(row);
      if (name !== undefined) row.name = name;
      if (rate_limit !== undefined) row.rateLimit = rate_limit;
      if (service_account && row.makerPersonId !== null) {
        requireAll(actor, permissionsOf(row));
        row.makerPersonId = row.suspendedAt = row.sessionId = row.tokenKey = null;
      }
      const details = changesBetween(before, changeable(row));
      if (Object.keys(details).length > 0)
        this.audit.record(tx, { action: 'key.updated', ...auditedKey(row), details });
      await tx.em.flush();
      return this.resource(tx, id);
    });
  }

  /** Ends a key; every instance refuses it within a second. @throws NotFound `key_not_found` */
  async delete(actor: Actor, id: string): Promise<Deleted> {
    await this.storage.write(async (tx) => {
      const row = await this.store.getForWrite(tx, actor, id);
      tx.em.remove(row);
      this.audit.record(tx, { action: 'key.deleted', ...auditedKey(row) });
    });
    return { id, deleted: true };
  }

  private async resource(tx: WriteTx, id: string): Promise<KeyResource> {
    return keyResource((await this.store.findListed(tx, id))!, this.settings, Date.now());
  }

  /** The person whom a new key of an actor ends with: a key passes its own maker on. */
  private async personBehind(tx: WriteTx, { caller }: Actor): Promise<string | null> {
    if (caller?.kind === 'person') return caller.id;
    return caller?.kind === 'api_key' ? this.store.makerOf(tx, caller.id) : null;
  }

  private assertEnds({ createdAt, expiresAt }: Pick<ApiKeyRow, 'createdAt' | 'expiresAt'>): void {
    const { keyMaxAgeMs } = this.settings;
    if (keyMaxAgeMs === null || expiresAt === null || expiresAt <= createdAt + keyMaxAgeMs) return;
    const message = `must be ${formatTimestamp(createdAt + keyMaxAgeMs)} or earlier: API keys last ${keyMaxAgeMs / DAY_MS} days at most here`;
    throw invalidRequest([{ path: 'expires_at', message }]);
  }
}

const DAY_MS = 86_400_000;

/** Seals for a new key what opens the tokens of the session that it is made in. @returns `undefined` where there are none. */
export type TokenKeyFor = (
  tx: WriteTx,
  key: string,
  keyId: string,
) => Promise<{ sessionId: string; sealed: string } | undefined>;

const changeable = ({ name, rateLimit, makerPersonId }: ApiKeyRow) => ({
  ...{ name, rate_limit: rateLimit, service_account: makerPersonId === null },
});

/** A key as the wire shows it. @param now milliseconds since the epoch. */
function keyResource(
  key: ListedKey,
  settings: KeySettings & Pick<AccessSettings, 'keyRequestsPerSecond'>,
  now: number,
): KeyResource {
  const end = endOfKey(key, settings);
  const isSuspended = suspensionOf({ ...key, makerHasRole: key.makerRole !== null }, settings, now) !== undefined;
  return fromColumns(keyResourceSchema, key, {
    scopes: permissionsOf(key),
    expires_at: timeOrNull(end),
    state: end !== null && end <= now ? 'expired' : isSuspended ? 'suspended' : 'active',
    service_account: key.makerPersonId === null,
    maker: key.maker === null ? null : { id: key.maker, name: key.makerName },
    last_used_at: timeOrNull(key.usedAt),
    rate_limit: key.rateLimit ?? settings.keyRequestsPerSecond,
  });
}

/** What the audit log says of a key. */
export const auditedKey = (row: ApiKeyRow): Omit<AuditedAct, 'action'> => ({
  ...{ orgId: row.orgId, projectId: row.projectId, targetId: row.id, targetName: row.name },
  details: {
    name: row.name,
    project_id: row.projectId,
    scopes: permissionsOf(row),
    expires_at: timeOrNull(row.expiresAt),
    service_account: row.makerPersonId === null,
  },
});

const timeOrNull = (time: number | null): string | null => (time === null ? null : formatTimestamp(time));

/** What of a key and of its maker decides whether it is valid (docs/spec/access.md#keys-of-people). Times are in milliseconds since the epoch. */
export interface KeyFacts {
  createdAt: number;
  expiresAt: number | null;
  /** `null` for a key of a service account. */
  makerPersonId: string | null;
  makerHasRole: boolean;
  /** When the identity provider last confirmed the maker; `null` for nobody. */
  confirmedAt: number | null;
  /** Since when it does not confirm the maker; `null`: it did when it was asked last. */
  refusedAt: number | null;
}

export type KeySettings = Pick<AccessSettings, 'keysEndWithMaker' | 'keyMaxAgeMs' | 'makerConfirmedMs'>;

/** When a key ends, by itself or by `access.key_max_age`; `null`: never. */
export function endOfKey(
  { createdAt, expiresAt }: Pick<KeyFacts, 'createdAt' | 'expiresAt'>,
  { keyMaxAgeMs }: Pick<KeySettings, 'keyMaxAgeMs'>,
): number | null {
  if (keyMaxAgeMs === null) return expiresAt;
  return Math.min(createdAt + keyMaxAgeMs, expiresAt ?? Infinity);
}

/** Why a key is refused because of its maker; `undefined`: it is not. */
export function suspensionOf(
  facts: KeyFacts,
  settings: KeySettings,
  now: number,
): 'no_role' | 'not_confirmed' | undefined {
  if (facts.makerPersonId === null || !settings.keysEndWithMaker) return undefined;
  if (!facts.makerHasRole) return 'no_role';
  const isConfirmed = facts.confirmedAt !== null && facts.confirmedAt + settings.makerConfirmedMs > now;
  return facts.refusedAt === null && isConfirmed ? undefined : 'not_confirmed';
}

/** What a key may do: of what it was given, what its maker may now. @param role of the maker in the key's project. */
export function permissionsWithin(given: Permission[], role: Role): Permission[] {
  const held = SCOPES_OF_ROLES[role];
  if (given.every((permission) => holds(held, permission))) return given;
  return PERMISSIONS.filter(
    (permission) => permission !== 'feedback' && holds(given, permission) && holds(held, permission),
  );
}

/** What a stored key may do; the wire and the table call it `scopes`. */
export const permissionsOf = (row: Pick<ApiKeyRow, 'scopes'>): Permission[] => JSON.parse(row.scopes) as Permission[];

/** What a key may do now: of what it was given, what its maker may where it ends with them. */
export function permissionsNow(
  row: Pick<ApiKeyRow, 'scopes' | 'makerPersonId'> & { role: Role | null },
  { keysEndWithMaker }: Pick<KeySettings, 'keysEndWithMaker'>,
): Permission[] {
  const given = permissionsOf(row);
  const isBounded = row.makerPersonId !== null && row.role !== null && keysEndWithMaker;
  return isBounded ? permissionsWithin(given, row.role!) : given;
}

/** A new API key with 32 random bytes. */
export const newApiKey = (): string => apiKeyOf(BigInt(`0x${randomBytes(32).toString('hex')}`));

/** SHA-256 of a credential, hex: what is kept of it. */
export const digestOf = (credential: string): string => hash('sha256', credential, 'hex');

/** The beginning of a key, by which people distinguish keys. */
export const shownPrefixOf = (key: string): string => key.slice(0, API_KEY_PREFIX.length + 6);
