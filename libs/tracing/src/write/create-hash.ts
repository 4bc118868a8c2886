import { largeRequestHash, requestHash } from './request-hash.js';

/**
 * Letters of its fingerprint that a trace or a span keeps of its create request: 72 bits. They tell a repeated create from another
 * body under the same id and nothing else, and every letter is a byte of every span.
 */
const KEPT_LETTERS = 12;

/** What is kept of a create request, by its body: `null` when the service chose the id, so that nobody can repeat it. */
export const createHash = (body: Readonly<Record<string, unknown>>): string | null =>
  body['id'] ? requestHash(body).slice(0, KEPT_LETTERS) : null;

/** {@link createHash} of a large body: others have their turn meanwhile. */
export const largeCreateHash = async (body: Readonly<Record<string, unknown>>): Promise<string | null> =>
  body['id'] ? (await largeRequestHash(body)).slice(0, KEPT_LETTERS) : null;
