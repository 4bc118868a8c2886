import { hash, randomBytes } from 'node:crypto';
import {
  holds,
  PERMISSIONS,
  SCOPES_OF_ROLES,
  type Permission,
  type Role,
  API_KEY_PREFIX,
  apiKeyOf,
} from '@spandrel/contract';
import type { AccessSettings } from '../access.settings.js';
import type { ApiKeyRow } from './api-key.entity.js';

/** What of a key and of its maker decides whether it is valid (docs/spec/access.md#keys-of-people). Times are in milliseconds since the epoch. */
export interface KeyFacts {
  createdAt: number;
  expiresAt: number | null;
  /** `null` for a key of a service account. */
  makerPersonId: string | null;
  /** Whether the maker has a role in the project of the key. */
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
  return PERMISSIONS.filter((permission) => holds(given, permission) && holds(held, permission));
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
