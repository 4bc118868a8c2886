import type { JWTPayload } from 'jose';
import { isStorableText, KEY_LENGTH_MAX } from '@spandrel/contract';
import { claimAt, namesIn, type ClaimPath } from '../credentials/claim-path.js';

/** Who somebody is, as the identity provider says. */
export interface Identity {
  issuer: string;
  /** What the provider calls the person for ever. */
  subject: string;
  name: string | null;
  /** In small letters; `null` where there is none that counts. */
  email: string | null;
  groups: readonly string[];
}

/** What is read of the claims of an identity provider. */
interface IdentitySettings {
  groupsClaim: ClaimPath;
  trustEmail: boolean;
}

/**
 * Reads what an identity provider says of a person.
 * @param claims those of the ID token, over those of the userinfo endpoint.
 */
export function identityOf(
  issuer: string,
  subject: string,
  claims: JWTPayload,
  { groupsClaim, trustEmail }: IdentitySettings,
): Identity {
  const { email } = claims;
  return {
    issuer,
    subject,
    name: text(claims['name']) ?? text(claims['preferred_username']),
    email: countsAddress(claims, trustEmail) ? (text(email)?.toLowerCase() ?? null) : null,
    groups: namesIn(claimAt(claims, groupsClaim)),
  };
}

/**
 * Whether the address is the person's (docs/spec/sign-in.md#addresses-of-persons). `email_verified` is OpenID Connect's
 * (Core 1.0, 5.1), `xms_edov` what Entra ID has in its place: that the tenant has proved the domain to be its own.
 */
function countsAddress({ email_verified: isVerified, xms_edov: isOfDomain }: JWTPayload, trustEmail: boolean): boolean {
  const said = [isVerified, isOfDomain].filter((claim) => claim !== undefined && claim !== null);
  return said.length === 0 ? trustEmail : said.every((claim) => YES.has(claim));
}

/** Providers write booleans as texts and numbers, too. */
const YES: ReadonlySet<unknown> = new Set([true, 'true', 1, '1']);

const text = (claim: unknown): string | null =>
  typeof claim === 'string' && claim.trim() !== '' && claim.length <= KEY_LENGTH_MAX && isStorableText(claim)
    ? claim.trim()
    : null;
