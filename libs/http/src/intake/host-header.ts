import type { IncomingMessage } from 'node:http';

/**
 * Whether a request names its host once, as HTTP/1.1 wants it (RFC 9112, 3.2); HTTP/1.0 needs none. Asked here and not by
 * Node, whose answer has neither a body nor a request id, and which takes the first of several.
 */
export function namesOneHost({
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersion === '1.0');
}
