import {
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyOptions,
  createRemoteJWKSet,
  customFetch,
  type CryptoKey,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
} from 'jose';
import { type Permission, isStorableText, KEY_LENGTH_MAX, PERMISSIONS, ROLES, type Role } from '@spandrel/contract';
import { Unavailable } from '@spandrel/kernel';
import { permissionsOfRole } from '@spandrel/http';
import type { AccessSettings } from '../access.settings.js';
import { type JwtSettings, claimAt, claimPathText, namesIn, type IdSource } from './jwt.settings.js';
import { expired, notValid } from '../answers.js';
import { boundedFetch } from './bounded-fetch.js';

/** The claims of a JWT that was verified (docs/spec/access.md#jwts). */
export interface JwtClaims {
  sub: string;
  org: string;
  project: string;
  permissions: Permission[];
  /** `exp`, in milliseconds since the epoch. */
  expiresAt: number;
}

/** Algorithms by where their keys come from: a token chooses among these, never between the sources of one. */
const BY_SECRET = ['HS256'];
const BY_JWKS = ['RS256', 'ES256'];

export type JwtKeySettings = Pick<AccessSettings, 'jwtSecret' | 'jwksUrl' | 'jwtIssuer' | 'jwtAudience'>;

/** Verifies JWTs with the keys of the settings, and with nothing that a token brings along. */
export class JwtVerifier {
  private readonly secret: Uint8Array | undefined;
  private readonly jwks: Jwks | undefined;
  private readonly options: JWTVerifyOptions;

  constructor(
    { jwtSecret, jwksUrl, jwtIssuer, jwtAudience }: JwtKeySettings,
    private readonly names: JwtSettings,
  ) {
    this.secret = jwtSecret === null ? undefined : Buffer.from(jwtSecret, 'utf8');
    this.jwks = jwksUrl === null ? undefined : new Jwks(jwksUrl);
    this.options = {
      requiredClaims: ['exp'],
      ...(jwtIssuer !== null && { issuer: jwtIssuer }),
      ...(jwtAudience !== null && { audience: jwtAudience }),
    };
  }

  /** @throws DomainError `unauthenticated` for all that does not verify, `unavailable` when the keys cannot be had. */
  async verify(token: string): Promise<JwtClaims> {
    try {
      const claims = await this.verifySignature(token, this.options);
      const { subject, organization, project, permissions } = readClaims(claims, this.names);
      const [sub, org] = [subject.value, organization.value];
      if (sub === undefined || org === undefined || project.value === undefined) throw notValid();
      const expiresAt = Math.min(claims.exp! * 1_000, LATEST_MS);
      return { sub, org, project: project.value, permissions: [...permissions], expiresAt };
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      throw error instanceof errors.JWTExpired ? expired() : notValid();
    }
  }

  /** The claims of a token whose signature is right. @param options what else must be right. @throws Unavailable, jose's error. */
  async verifySignature(token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    const { alg = '' } = decodeProtectedHeader(token);
    if (this.secret && BY_SECRET.includes(alg)) {
      return (await jwtVerify(token, this.secret, { ...options, algorithms: BY_SECRET })).payload;
    }
    const { jwks } = this;
    if (jwks && BY_JWKS.includes(alg)) {
      const key: Parameters<typeof jwtVerify>[1] = (header, input) => jwks.keyFor(header, input);
      return (await jwtVerify(token, key, { ...options, algorithms: BY_JWKS })).payload;
    }
    throw notValid();
  }

  /** Algorithms that tokens may be signed with, by the source of keys that is set. */
  get algorithms(): readonly string[] {
    return [...(this.secret ? BY_SECRET : []), ...(this.jwks ? BY_JWKS : [])];
  }
}

/** What a timestamp of the wire can write. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** Keys older than this are fetched again, beside the requests; those at hand serve for as long as that fails. */
const FRESH_MS = 300_000;
/** How long after a failure nobody tries again. */
const RETRY_MS = 1_000;
/** A key that is not among those at hand is looked for once in this time: guessed key ids reach nobody. */
const LOOK_AGAIN_MS = 10_000;

/** The keys that a JWKS URL publishes (RFC 7517), kept in memory. */
export class Jwks {
  private readonly keys;
  private fetchedAt = -Infinity;
  private failedAt = -Infinity;

  constructor(url: string) {
    // When to fetch is decided here.
    this.keys = createRemoteJWKSet(new URL(url), {
      timeoutDuration: 3_000,
      cooldownDuration: Infinity,
      cacheMaxAge: Infinity,
      [customFetch]: boundedFetch,
    });
  }

  /** The key that a token names. @throws Unavailable when the keys cannot be had, jose's error when there is none for it. */
  async keyFor(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
    if (!this.keys.jwks()) await this.fetch();
    else if (isDue(this.fetchedAt, FRESH_MS)) void this.fetch().catch(() => undefined);
    try {
      return await this.keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !isDue(this.fetchedAt, LOOK_AGAIN_MS)) throw error;
      await this.fetch();
      return this.keys(header, token);
    }
  }

  private async fetch(): Promise<void> {
    if (!isDue(this.failedAt, RETRY_MS)) throw unreachable();
    try {
      await this.keys.reload();
      this.fetchedAt = performance.now();
    } catch (error) {
      this.failedAt = performance.now();
      throw unreachable(error);
    }
  }
}

const isDue = (since: number, ms: number): boolean => performance.now() - since >= ms;

const unreachable = (cause?: unknown): Unavailable =>
  new Unavailable('the JWT could not be checked: the keys that verify it (JWKS) could not be fetched; try again soon', {
    cause,
  });

/** What was found for one of the names that must be known of a token. */
export interface ClaimReading {
  /** `sub`, `org` or `project`. */
  claim: string;
  /** The path that was looked at, as people write it; `null` for a value of the settings. */
  path: string | null;
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
  readonly roleNames: readonly string[];
  readonly roles: readonly Role[];
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
