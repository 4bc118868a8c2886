import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  SignJWT,
  type JWTPayload,
  type JWTVerifyOptions,
} from 'jose';
import { formatTimestamp, type Permission, type Role } from '@spandrel/contract';
import { DomainError, Unavailable } from '@spandrel/kernel';
import type { AccessSettings } from '../access.settings.js';
import { claimPathText, type JwtSettings } from './jwt.settings.js';
import type { CredentialStore } from './credential.store.js';
import { JwtVerifier, readClaims, type ClaimReading, type ClaimsRead } from './jwt.js';

/** One rule that a token is held to, and what came of it. */
export interface JwtRule {
  rule: string;
  /** `null`: it could not be tried, since another one failed. */
  ok: boolean | null;
  /** What was looked at and what was found, for people. */
  detail: string;
}

/** What became of a token (docs/spec/access.md#checking-a-jwt). */
export interface JwtCheck {
  valid: boolean;
  rules: JwtRule[];
  /** What the token is allowed; `null` for one that is not valid. */
  allows: {
    sub: string;
    org_id: string;
    project_id: string;
    roles: readonly Role[];
    scopes: readonly Permission[];
    expires_at: string;
  } | null;
}

/** Says which rule a JWT fails, and what it would be allowed: for anyone who sets up an identity provider. */
export class CheckJwt {
  private readonly verifier: JwtVerifier;

  constructor(
    private readonly store: CredentialStore,
    private readonly access: AccessSettings,
    private readonly names: JwtSettings,
  ) {
    this.verifier = new JwtVerifier(access, names);
  }

  /** Holds a token to every rule, also where one before has failed. */
  async execute(token: string): Promise<JwtCheck> {
    const claims = decoded(token);
    if (!claims) return { valid: false, rules: [NO_JWT], allows: null };
    const read = readClaims(claims, this.names);
    const rules = [
      ...(await this.signatureRules(token)),
      ...(await this.claimRules(claims)),
      idRule(read.subject),
      idRule(read.organization),
      idRule(read.project),
      await this.tenantRule(read),
      this.grantRule(read),
    ];
    const allows = await this.allowed(token, read);
    return { valid: allows !== null, rules, allows };
  }

  /** What a server would allow: decided by the code that lets requests in, so that this check agrees with it. */
  private async allowed(token: string, { roles }: ClaimsRead): Promise<JwtCheck['allows']> {
    try {
      const { sub, org, project, permissions, expiresAt } = await this.verifier.verify(token);
      const [tenant] = await this.store.tenantsByProject([project]);
      if (tenant?.orgId !== org) return null;
      const ids = { sub, org_id: org, project_id: project };
      return { ...ids, roles, scopes: permissions, expires_at: formatTimestamp(expiresAt) };
    } catch (error) {
      if (error instanceof DomainError) return null;
      throw error;
    }
  }

  private async signatureRules(token: string): Promise<JwtRule[]> {
    const { alg = 'none', kid } = decodeProtectedHeader(token);
    const { algorithms } = this.verifier;
    const taken =
      algorithms.length === 0 ? 'none: neither auth.jwt_secret nor auth.jwks_url is set' : algorithms.join();
    const algorithm = { rule: 'algorithm', ok: algorithms.includes(alg), detail: `${alg}; the settings take ${taken}` };
    if (!algorithm.ok) return [algorithm, untried('key'), untried('signature')];
    const key = alg === 'HS256' ? 'auth.jwt_secret' : `the key ${kid ?? '(none named)'} of auth.jwks_url`;
    const fault = await this.signatureFault(token);
    if (fault === undefined) return [algorithm, passed('key', key), passed('signature', `made with ${key}`)];
    if (fault instanceof errors.JWSSignatureVerificationFailed)
      return [algorithm, passed('key', key), failed('signature', `was not made with ${key}`)];
    return [algorithm, failed('key', `${key}: ${fault.message}`), untried('signature')];
  }

  private async signatureFault(token: string): Promise<Error | undefined> {
    try {
      await this.verifier.verifySignature(token, {});
      return undefined;
    } catch (error) {
      if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) return undefined;
      if (error instanceof errors.JOSEError || error instanceof Unavailable) return error;
      throw error;
    }
  }

  private async claimRules(claims: JWTPayload): Promise<JwtRule[]> {
    const { jwtIssuer: issuer, jwtAudience: audience } = this.access;
    return [
      issuer === null
        ? passed('iss', 'is not checked: auth.jwt_issuer is not set')
        : await claimRule(claims, 'iss', { issuer }, `auth.jwt_issuer is ${shown(issuer)}`),
      audience === null
        ? passed('aud', 'is not checked: auth.jwt_audience is not set')
        : await claimRule(claims, 'aud', { audience }, `auth.jwt_audience is ${shown(audience)}`),
      await claimRule(claims, 'nbf', {}, `the time is ${seconds(Date.now())}`),
      await claimRule(claims, 'exp', { requiredClaims: ['exp'] }, `the time is ${seconds(Date.now())}`),
    ];
  }

  private async tenantRule({
    organization: { value: org },
    project: { value: project },
  }: ClaimsRead): Promise<JwtRule> {
    if (org === undefined || project === undefined) return untried('project known');
    const [tenant] = await this.store.tenantsByProject([project]);
    if (!tenant) return failed('project known', `there is no project ${shown(project)}`);
    if (tenant.orgId !== org)
      return failed('project known', `the project is not of the organization ${shown(org)}, but of another one`);
    return passed('project known', `${project} is a project of the organization ${org}`);
  }

  /** A token without any scope is valid, and may do next to nothing: that is said, too. */
  private grantRule({ scopeNames, roleNames, roles, permissions }: ClaimsRead): JwtRule {
    const { scopes, roles: rolePath } = this.names;
    const parts = [
      scopes === null ? 'scopes are not read' : `at ${claimPathText(scopes)}: ${listed(scopeNames)}`,
      ...(rolePath === null
        ? []
        : [`roles at ${claimPathText(rolePath)}: ${listed(roleNames)}, which stand for ${listed(roles)}`]),
    ];
    return {
      rule: 'scopes',
      ok: permissions.length > 0,
      detail: `${parts.join('; ')}; allowed: ${listed(permissions)}`,
    };
  }
}

const NO_JWT: JwtRule = { rule: 'form', ok: false, detail: 'this is no signed JWT: three parts separated by dots' };

const passed = (rule: string, detail: string): JwtRule => ({ rule, ok: true, detail });
const failed = (rule: string, detail: string): JwtRule => ({ rule, ok: false, detail });
const untried = (rule: string): JwtRule => ({ rule, ok: null, detail: 'not tried' });

function decoded(token: string): JWTPayload | undefined {
  try {
    decodeProtectedHeader(token);
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

const OWN_SECRET = crypto.getRandomValues(new Uint8Array(32));

/** One rule of jose on the claims alone: they are signed again, so that a wrong signature hides no other fault. */
async function claimRule(
  claims: JWTPayload,
  claim: string,
  options: JWTVerifyOptions,
  wanted: string,
): Promise<JwtRule> {
  const detail = `${claim} is ${shown(claims[claim])}; ${wanted}`;
  const again = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(OWN_SECRET);
  try {
    await jwtVerify(again, OWN_SECRET, options);
  } catch (error) {
    const isThis =
      (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) && error.claim === claim;
    if (isThis) return failed(claim, detail);
  }
  return passed(claim, detail);
}

function idRule({ claim, path, found, value }: ClaimReading): JwtRule {
  if (path === null) return passed(claim, `${shown(value)} for all tokens, by access.jwt.claims.${claim}`);
  const detail = `at ${path}: ${shown(found)}`;
  if (value === undefined)
    return failed(claim, `${detail}; access.jwt.claims.${claim} says where it is and what its values stand for`);
  return passed(claim, value === found ? detail : `${detail}, which stands for ${shown(value)}`);
}

const seconds = (ms: number): number => Math.floor(ms / 1_000);

const shown = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 300));
const listed = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', ').slice(0, 300));
