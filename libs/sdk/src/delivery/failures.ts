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
