import type { IncomingHttpHeaders } from 'node:http';
import { nearestName } from '@spandrel/kernel';

const PREFIX = 'x-spandrel-';
const KNOWN = ['key', 'capture', 'trace-id', 'parent-id', 'session-id', 'user-id', 'tags', 'name'];

/** The most that a span tells of. */
const TOLD_MAX = 8;
const NAME_LENGTH_MAX = 64;

/**
 * Headers that are addressed to the gateway and that it does not know, each with the one that was probably meant; `null`
 * where none is near (docs/spec/gateway.md#unknown-headers).
 */
export function unknownHeaders(headers: IncomingHttpHeaders): Record<string, string | null> {
  const unknown: Record<string, string | null> = {};
  let told = 0;
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(PREFIX)) continue;
    const own = name.slice(PREFIX.length);
    if (KNOWN.includes(own) || told++ >= TOLD_MAX) continue;
    const meant = nearestName(own.slice(0, NAME_LENGTH_MAX), KNOWN);
    unknown[name.slice(0, NAME_LENGTH_MAX)] = meant === undefined ? null : PREFIX + meant;
  }
  return unknown;
}
