import type { IncomingHttpHeaders } from 'node:http';
import { clientIdSchema } from '@spandrel/contract';
import { newId } from '@spandrel/kernel';

/**
 * The id of a request: the caller's `X-Request-Id` when it is well-formed, else a new one
 * (docs/spec/general.md#request-ids).
 */
export function requestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return given !== undefined && clientIdSchema.safeParse(given).success ? (given as string) : newId();
}
