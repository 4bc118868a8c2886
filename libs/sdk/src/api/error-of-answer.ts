import { retryAfterMs as retryAfterOf } from '../delivery/backoff.js';
import type { Problem } from './schema.js';
import { SpandrelError } from './spandrel-error.js';

/** @returns the error that an answer tells, whoever gave it. @param text the body of the answer. */
export function errorOfAnswer({ status, headers }: Response, text: string): SpandrelError {
  const problem = problemOf(text);
  const requestId = headers.get('x-request-id') ?? problem?.request_id;
  const retryAfterMs = retryAfterOf(headers.get('retry-after'), Date.now()) || undefined;
  if (problem) {
    const { code, detail = problem.title ?? code, errors } = problem;
    return new SpandrelError({ status, code, detail, requestId, errors, retryAfterMs });
  }
  const location = headers.get('location');
  const said = location === null ? text.replace(/\s+/g, ' ').slice(0, SAID_CHARACTERS) : `redirects to ${location}`;
  const detail = `HTTP ${status} is not an answer of the API: ${said || 'no body'}`;
  return new SpandrelError({ status, code: 'unexpected_answer', detail, requestId, retryAfterMs });
}

/** How much of an answer that is no problem stands in the error. */
const SAID_CHARACTERS = 200;

function problemOf(text: string): (Partial<Problem> & { code: string }) | undefined {
  try {
    const body = JSON.parse(text) as Partial<Problem> | null;
    return typeof body?.code === 'string' ? (body as Partial<Problem> & { code: string }) : undefined;
  } catch {
    return undefined;
  }
}
