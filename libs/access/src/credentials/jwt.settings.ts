import { ROLES } from '@spandrel/contract';
import { defineSettings, setting } from '@spandrel/kernel/launch';
import { z } from 'zod';
import type { JWTPayload } from 'jose';

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

const id = z.string().min(1).max(512);

/** Where an id comes from: a claim that holds it, a claim whose values stand for ids, or one id for all tokens. */
const idSourceSchema = z.union([
  claimPathSchema,
  z.strictObject({ value: id }),
  z.strictObject({ path: claimPathSchema, values: z.record(z.string(), id) }),
]);
export type IdSource = z.output<typeof idSourceSchema>;

/** Where the claims of JWTs are, in the words of the identity provider (docs/spec/access.md#claims-by-other-names). */
export class JwtSettings extends defineSettings(
  {
    subject: setting('access.jwt.claims.sub', claimPathSchema, {
      default: 'sub',
      doc: 'The person or program that the token is for.',
    }),
    organization: setting('access.jwt.claims.org', idSourceSchema, {
      default: 'org',
      doc: 'The id of the organization.',
    }),
    project: setting('access.jwt.claims.project', idSourceSchema, {
      default: 'project',
      doc: 'The id of the project.',
    }),
    scopes: setting('access.jwt.claims.scopes', claimPathSchema.nullable(), {
      default: 'scopes',
      doc: 'Scopes: a list, or one text with blanks. `null`: tokens name none.',
    }),
    roles: setting('access.jwt.claims.roles', claimPathSchema.nullable(), {
      default: null,
      doc: 'Names of roles or groups: a list, or one text with blanks. What they grant is added to the scopes.',
    }),
    roleOf: setting('access.jwt.roles', z.record(z.string(), z.enum(ROLES)), {
      default: {},
      doc: `Roles by those names, such as {spandrel-editors: editor}: ${ROLES.join(', ')}. While empty, the names are the roles' own.`,
    }),
  },
  {
    access: 'Cloud mode: what identity providers call what Spandrel asks for.',
    'access.jwt': 'JWTs; what verifies them is under auth.',
    'access.jwt.claims':
      'The claim of this very name, or names of members separated by dots (or in a list, where names have dots).\norg and project may also be {value: an id for all tokens} or {path: …, values: {what the claim has: an id}}.',
  },
) {}
