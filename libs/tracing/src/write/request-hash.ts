import { hash } from 'node:crypto';

/**
 * A fingerprint of a create request: it shows whether a create with a known id is the same one sent again
 * (docs/spec/general.md#repeating-a-create). The order of members does not count; a known member that is absent equals
 * one that is `null`.
 * @param members the known members of the body, by reference.
 */
export function requestHash(members: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return hash('sha256', canonicalJson(Object.fromEntries(given)), 'base64url').slice(0, 22);
}

function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
