import { decodeProtectedHeader, errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import { isStorableText, KEY_LENGTH_MAX } from '@spandrel/contract';
import type { Permission } from '@spandrel/contract';
import { Unavailable } from '@spandrel/kernel';
import type { AccessSettings } from '../access.settings.js';
import { Jwks } from './jwks.js';
import { permissionsOfClaim } from './permissions.js';
import { expired, notValid } from './unauthenticated.js';

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

type JwtSettings = Pick<AccessSettings, 'jwtSecret' | 'jwksUrl' | 'jwtIssuer' | 'jwtAudience'>;

/** Verifies JWTs with the keys of the settings, and with nothing that a token brings along. */
export class JwtVerifier {
  private readonly secret: Uint8Array | undefined;
  private readonly jwks: Jwks | undefined;
  private readonly options: JWTVerifyOptions;

  constructor({ jwtSecret, jwksUrl, jwtIssuer, jwtAudience }: JwtSettings) {
    this.secret = jwtSecret === null ? undefined : Buffer.from(jwtSecret, 'utf8');
    this.jwks = jwksUrl === null ? undefined : new Jwks(jwksUrl);
    this.options = {
      requiredClaims: ['exp', 'sub'],
      ...(jwtIssuer !== null && { issuer: jwtIssuer }),
      ...(jwtAudience !== null && { audience: jwtAudience }),
    };
  }

  /**
   * @throws DomainError `unauthenticated` for all that does not verify, `unavailable` when the keys cannot be had.
   */
  async verify(token: string): Promise<JwtClaims> {
    try {
      return claimsOf(await this.payloadOf(token));
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      throw error instanceof errors.JWTExpired ? expired() : notValid();
    }
  }

  private async payloadOf(token: string): Promise<JWTPayload> {
    const { alg = '' } = decodeProtectedHeader(token);
    if (this.secret && BY_SECRET.includes(alg)) {
      return (await jwtVerify(token, this.secret, { ...this.options, algorithms: BY_SECRET })).payload;
    }
    const { jwks } = this;
    if (jwks && BY_JWKS.includes(alg)) {
      const key: Parameters<typeof jwtVerify>[1] = (header, input) => jwks.keyFor(header, input);
      return (await jwtVerify(token, key, { ...this.options, algorithms: BY_JWKS })).payload;
    }
    throw notValid();
  }
}

/** What a timestamp of the wire can write. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** @throws DomainError `unauthenticated` when a claim is missing or is no text that could name something. */
function claimsOf({ sub, exp, org, project, scopes }: JWTPayload): JwtClaims {
  if (![sub, org, project].every(isName)) throw notValid();
  return {
    sub: sub!,
    org: org as string,
    project: project as string,
    permissions: permissionsOfClaim(scopes),
    expiresAt: Math.min(exp! * 1_000, LATEST_MS),
  };
}

const isName = (claim: unknown): boolean =>
  typeof claim === 'string' && claim !== '' && claim.length <= KEY_LENGTH_MAX && isStorableText(claim);
