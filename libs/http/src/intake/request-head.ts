import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '@spandrel/contract';

/**
 * Whether a body has a length or comes in chunks and nothing around them (RFC 9112, 6.1 and 6.3); Node's parser lets
 * more pass. @returns what is wrong; the connection must then be closed after the answer.
 */
export function framingFault({
  headers,
  httpVersion,
}: IncomingMessage): { code: ErrorCode; message: string } | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (httpVersion === '1.0') {
    return { code: 'malformed_request', message: 'HTTP/1.0 has no Transfer-Encoding; send Content-Length.' };
  }
  const codings = coding.split(',').map((each) => each.trim().toLowerCase());
  const before = codings.slice(0, -1);
  if (codings.at(-1) !== 'chunked' || before.includes('chunked') || before.includes('')) {
    return { code: 'malformed_request', message: 'The last Transfer-Encoding must be "chunked", and only the last.' };
  }
  if (before.length === 0) return undefined;
  return {
    code: 'not_implemented',
    message: 'No Transfer-Encoding but "chunked" is supported; a compressed body has a Content-Encoding.',
  };
}

/** Whether a request names its host once (RFC 9112, 3.2); Node's own answer has neither a body nor a request id. */
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
