import type { Endpoint, RequestHead } from '@spandrel/plugin-api';

/** Name of the endpoint whose responses may go on behind their call. */
export const RESPONSES = 'responses';

/** A response that a request asks for, and the call by which such responses begin. */
export interface AskedResponse {
  id: string;
  endpoint: Endpoint;
  method: string;
  path: string;
}

const ASKING = /^(.*\/responses)\/([^/]+)(\/cancel)?\/?$/;

/**
 * The response that a request asks for: `GET …/responses/{id}`, whole or streamed, and `POST …/responses/{id}/cancel`.
 * @param endpointOf the endpoint of a request, as its provider knows it.
 */
export function askedResponse(
  head: RequestHead,
  endpointOf: (head: RequestHead) => Endpoint | undefined,
): AskedResponse | undefined {
  const match = ASKING.exec(head.path);
  if (!match || head.method !== (match[3] === undefined ? 'GET' : 'POST')) return undefined;
  const began = { method: 'POST', path: match[1]! };
  const endpoint = endpointOf({ ...head, ...began });
  return endpoint?.name === RESPONSES ? { id: match[2]!, endpoint, ...began } : undefined;
}
