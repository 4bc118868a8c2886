import type { JWTPayload } from 'jose';
import { isStorableText, KEY_LENGTH_MAX, PERMISSIONS, ROLES, type Permission, type Role } from '@spandrel/contract';
import { permissionsOfRole } from '@spandrel/http';
import { claimAt, claimPathText, namesIn, type IdSource, type JwtSettings } from './jwt.settings.js';

/** What was found for one of the names that must be known of a token. */
export interface ClaimReading {
  /** `sub`, `org` or `project`. */
  claim: string;
  /** The path that was looked at, as people write it; `null` for a value of the settings. */
  path: string | null;
  /** What the token has there. */
  found: unknown;
  /** What it stands for; `undefined` where it is nothing that could name something. */
  value: string | undefined;
}

/** What the claims of a verified token say, by the settings (docs/spec/access.md#claims-by-other-names). */
export interface ClaimsRead {
  readonly subject: ClaimReading;
  readonly organization: ClaimReading;
  readonly project: ClaimReading;
  /** Names found for scopes, those that are no scopes too. */
  readonly scopeNames: readonly string[];
  /** Names found for roles or groups. */
  readonly roleNames: readonly string[];
  readonly roles: readonly Role[];
  /** What scopes and roles grant together. */
  readonly permissions: readonly Permission[];
}

type ClaimSettings = Pick<JwtSettings, 'subject' | 'organization' | 'project' | 'scopes' | 'roles' | 'roleOf'>;

/** Reads the claims of a token; what is missing or wrong is `undefined` in the readings. */
export function readClaims(claims: JWTPayload, settings: ClaimSettings): ClaimsRead {
  const scopeNames = settings.scopes === null ? [] : namesIn(claimAt(claims, settings.scopes));
  const roleNames = settings.roles === null ? [] : namesIn(claimAt(claims, settings.roles));
  const roles = rolesOf(roleNames, settings.roleOf);
  const granted = new Set<string>([...scopeNames, ...roles.flatMap((role) => permissionsOfRole(role))]);
  return {
    subject: readId('sub', claims, settings.subject),
    organization: readId('org', claims, settings.organization),
    project: readId('project', claims, settings.project),
    scopeNames,
    roleNames,
    roles,
    permissions: PERMISSIONS.filter((permission) => granted.has(permission)),
  };
}

/** Roles that names stand for, the one that may most first; while nothing is said of names, they are the roles' own. */
function rolesOf(names: readonly string[], roleOf: Readonly<Record<string, Role>>): Role[] {
  const isNamed = Object.keys(roleOf).length > 0;
  const meant = new Set<unknown>(
    names.map((name) => (!isNamed ? name : Object.hasOwn(roleOf, name) ? roleOf[name] : undefined)),
  );
  return ROLES.filter((role) => meant.has(role));
}

function readId(claim: string, claims: JWTPayload, source: IdSource): ClaimReading {
  if (typeof source === 'object' && 'value' in source) {
    return { claim, path: null, found: source.value, value: source.value };
  }
  const isMapped = typeof source === 'object' && 'path' in source;
  const path = isMapped ? source.path : source;
  const found = claimAt(claims, path);
  const read = { claim, path: claimPathText(path), found };
  if (!isName(found)) return { ...read, value: undefined };
  if (!isMapped) return { ...read, value: found };
  return { ...read, value: Object.hasOwn(source.values, found) ? source.values[found] : undefined };
}

const isName = (claim: unknown): claim is string =>
  typeof claim === 'string' && claim !== '' && claim.length <= KEY_LENGTH_MAX && isStorableText(claim);
