import { API_SCOPES, type ApiScope } from '@spandrel/contract';
import type { ApiKeyRow } from './api-key.entity.js';

/** The scopes of a key. */
export const scopesOf = (row: Pick<ApiKeyRow, 'scopes'>): ApiScope[] => JSON.parse(row.scopes) as ApiScope[];

/** The scopes among what a claim lists, as a list or as words of one text (RFC 8693, 4.2); others mean nothing here. */
export function scopesOfClaim(claim: unknown): ApiScope[] {
  const named = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return API_SCOPES.filter((scope) => named.includes(scope));
}
