import type { JWTPayload } from 'jose';
import { z } from 'zod';

const memberName = z.string().min(1).max(1_024);

/**
 * Where a claim of a JWT is (docs/spec/access.md#claims-by-other-names). A text is the claim of this very name, dots and
 * slashes included; where a token has none, the names of members inside each other, separated by dots. A list has the
 * names of members inside each other, whatever is in them.
 */
export const claimPathSchema = z.union([memberName, z.array(memberName).min(1).max(16)]);
export type ClaimPath = z.output<typeof claimPathSchema>;

/** What is found at a path in the claims of a token; `undefined` where there is nothing. */
export function claimAt(claims: JWTPayload, path: ClaimPath): unknown {
  if (typeof path !== 'string') return memberAt(claims, path);
  return Object.hasOwn(claims, path) ? claims[path] : memberAt(claims, path.split('.'));
}

function memberAt(claims: unknown, names: readonly string[]): unknown {
  let found = claims;
  for (const name of names) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** A path as people write it. */
export const claimPathText = (path: ClaimPath): string => (typeof path === 'string' ? path : JSON.stringify(path));

/** The names that a claim lists: members of a list, or words of one text (RFC 8693, 4.2). */
export function namesIn(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((name) => name !== '');
  return Array.isArray(claim) ? claim.filter((name) => typeof name === 'string') : [];
}
