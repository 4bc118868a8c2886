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
  const { email, email_verified: isVerified } = claims;
  const isTrusted = trustEmail || isVerified === true || isVerified === 'true';
  return {
    issuer,
    subject,
    name: text(claims['name']) ?? text(claims['preferred_username']),
    email: isTrusted ? (text(email)?.toLowerCase() ?? null) : null,
    groups: namesIn(claimAt(claims, groupsClaim)),
  };
}

const text = (claim: unknown): string | null =>
  typeof claim === 'string' && claim.trim() !== '' && claim.length <= KEY_LENGTH_MAX && isStorableText(claim)
    ? claim.trim()
    : null;
