import type { Base } from './base-url.js';

/**
 * Where a call goes whose named base already has what its path begins with (`https://llm.example.com/v1` and
 * `/v1/chat/completions`): nearly always a mistake, but one that only the provider can tell for sure.
 * @returns host and path; `null` where nothing is doubled.
 */
export function doubledPath({ host, path }: Base, callPath: string): string | null {
  const doubled = (path.endsWith('/v1') && callPath.startsWith('/v1/')) || path.endsWith(callPath);
  return doubled ? `${host}${path}${callPath}` : null;
}
