/**
 * How long an answer asks to wait: `Retry-After`, in seconds or as a date (RFC 9110, section 10.2.3).
 * @param header its value; empty when the answer has none. @param now in ms since the epoch.
 * @returns ms, never negative; `undefined` when it says nothing of use.
 */
export function readRetryAfter(header: string, now: number): number | undefined {
  const text = header.trim();
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
