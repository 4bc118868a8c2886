import { z } from 'zod';
import { ERRORS, type ErrorCode } from './error-codes.js';

/** One fault of a request: where (dotted path from the root of the body or query) and what. */
const fieldErrorSchema = z
  .object({
    path: z.string().describe('From the root of the body or query: `spans[3].kind.model`.'),
    message: z.string(),
  })
  .meta({ id: 'FieldError' });
export type FieldError = z.output<typeof fieldErrorSchema>;

/** An error answer, RFC 9457 `application/problem+json`. */
export const problemSchema = z
  .object({
    type: z.literal('about:blank'),
    title: z.string(),
    status: z.number().int().min(400).max(599),
    detail: z.string().describe('One sentence for people; may change.'),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).describe('Stable; programs decide by it.'),
    request_id: z.string().describe('Also in the header `X-Request-Id` and in the log of the server.'),
    errors: z
      .array(fieldErrorSchema)
      .exactOptional()
      .describe('One entry a fault; with `validation_failed` above all.'),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });
export type Problem = z.output<typeof problemSchema>;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The problem for an error code. @param detail one sentence for the caller; no secret, path, SQL or stack. */
export function problem(code: ErrorCode, detail: string, requestId: string, errors?: FieldError[]): Problem {
  const { status, title } = ERRORS[code];
  return {
    type: 'about:blank',
    title,
    status,
    detail,
    code,
    request_id: requestId,
    ...(errors && { errors }),
  };
}

/** The faults of a zod error as the wire shows them. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.map((issue) => ({ path: dottedPath(issue.path), message: issue.message }));
}

/** `['spans', 3, 'kind', 'model']` → `spans[3].kind.model`. */
export function dottedPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (dotted, key) =>
      typeof key === 'number' ? `${dotted}[${key}]` : dotted === '' ? String(key) : `${dotted}.${String(key)}`,
    '',
  );
}
