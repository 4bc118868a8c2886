import { context } from './context.js';
import { formatTraceparent } from './ids.js';

/** Values longer than this together are left to the spans that come later: servers take 16 KB of headers. */
const LENGTH_MAX = 2_048;

/**
 * Headers that put a call into the trace and below the span that are open where it is made. With the trace come its session,
 * user and tags, which rules on the server go by and which may arrive there before the trace itself. Never throws.
 * @param current what is open there; what is open now when left out.
 * @param gatewayUrl the gateway's own headers go to its origin alone; all others get `traceparent`.
 */
export function traceHeaders(
  url: URL,
  gatewayUrl: string | undefined,
  current = context.getStore(),
): Record<string, string> {
  if (current === undefined) return {};
  const { trace, spanId } = current;
  const headers: Record<string, string> = {};
  const isGateway = gatewayUrl !== undefined && url.origin === new URL(gatewayUrl).origin;
  if (isGateway && spanId === null) headers['X-Spandrel-Trace-Id'] = trace.id;
  else headers['traceparent'] = formatTraceparent(trace.id, spanId);
  if (!isGateway) return headers;
  let room = LENGTH_MAX;
  const add = (name: string, texts: readonly string[], isExact: (text: string) => boolean): void => {
    const value = texts.join(',');
    // A value that would arrive as another one is left out.
    if (value === '' || value.length > room || !texts.every(isExact)) return;
    room -= value.length;
    headers[name] = value;
  };
  const { sessionId, userId, tags } = trace.known;
  add('X-Spandrel-Session-Id', [sessionId ?? ''], isHeader);
  add('X-Spandrel-User-Id', [userId ?? ''], isHeader);
  add('X-Spandrel-Tags', tags ?? [], (tag) => isHeader(tag) && tag !== '' && !tag.includes(','));
  return headers;
}

/** Whether a text may stand in a header and comes out of it as it was. */
// oxlint-disable-next-line no-control-regex -- These end a header.
const isHeader = (text: string): boolean => text === text.trim() && !/[\0-\x1f\x7f]/.test(text);
