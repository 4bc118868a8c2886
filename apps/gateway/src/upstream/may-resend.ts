/**
 * How far a request came whose kept-alive connection was closed before a byte of the answer.
 * - `unread`: the upstream's system refused bytes of it, so that the upstream cannot have read the request whole;
 * - `unanswered`: the upstream closed the connection, perhaps after it had read and executed the request.
 */
export type RequestFate = 'unread' | 'unanswered';

/** Methods that may be executed twice with the effect of once (RFC 9110 section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

export const isIdempotent = (method: string): boolean => IDEMPOTENT.has(method);

/**
 * Whether a request may be sent once more (ADR 0018): any method when the
 * first try was not read, an idempotent one also when that is not known.
 * @param fate `undefined` when the connection was new, or part of an answer came.
 */
export function mayResend(method: string, fate: RequestFate | undefined): boolean {
  return fate === 'unread' || (fate === 'unanswered' && isIdempotent(method));
}
