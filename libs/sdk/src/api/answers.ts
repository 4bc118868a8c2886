import type { SpandrelError } from './spandrel-error.js';

/** @param now ms since the epoch. @returns ms that `Retry-After` (seconds or a date) asks for; 0 where it asks for none. */
export function retryAfterMs(header: string | null, now: number): number {
  if (header === null || header.trim() === '') return 0;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}

/** Whether a request that was answered with this status may be taken a little later. */
export const passes = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** A fetch that failed says why in its cause: by words, by a code, or by both. */
export function reasonOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: { code?: unknown; message?: unknown } };
  const code = typeof cause?.code === 'string' ? cause.code : '';
  const words = typeof cause?.message === 'string' ? cause.message : '';
  if (words === '') return code || (error instanceof Error ? error.message : String(error));
  return words.includes(code) ? words : `${words} (${code})`;
}

/** Whether what went wrong may go right a little later. */
export const mayPass = ({ status, code }: SpandrelError): boolean => code === 'unreachable' || passes(status);
