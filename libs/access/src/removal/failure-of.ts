import { Unavailable } from '@spandrel/kernel';

/** Codes as systems and databases give them, such as `ECONNREFUSED` or `57014`: they reveal nothing of the installation. */
const CODE = /^[A-Z0-9_]{3,40}$/;

/**
 * What failed, in words that may be shown to an administrator of an organization. The error itself may name addresses of the
 * installation; it is in the server's log.
 */
export function failureOf(error: unknown): string {
  if (error instanceof Unavailable) return 'the database could not be used';
  const code = (error as { code?: unknown } | null | undefined)?.code;
  const known = typeof code === 'string' && CODE.test(code) ? ` (${code})` : '';
  return `it failed${known}; the log of the servers says more`;
}
