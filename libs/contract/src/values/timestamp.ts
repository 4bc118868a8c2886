import { z } from 'zod';

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:(Z)|([+\- ])(\d{2}):?(\d{2}))?)?$/i;

/**
 * Reads an ISO 8601 timestamp with any offset (docs/spec/general.md#timestamps).
 * @returns milliseconds since the epoch, fractions cut off; `undefined` when it is none. A date alone is its midnight,
 * a time without offset is UTC. A blank stands for the unescaped `+` of an offset in a query string.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const date = new Date(0);
  date.setUTCFullYear(year!, month! - 1, day!);
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day!) return undefined;
  if (hour! > 23 || minute! > 59 || second! > 59) return undefined;
  const offsetHours = Number(match[10] ?? 0);
  const offsetMinutes = Number(match[11] ?? 0);
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (match[9] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes) * 60_000;
  const epochMs = date.getTime() + ((hour! * 60 + minute!) * 60 + second!) * 1000 + millisecond - offset;
  return epochMs >= EPOCH_MS_MIN && epochMs <= EPOCH_MS_MAX ? epochMs : undefined;
}

/** 0001-01-01 and 9999-12-31: what four-digit years can write. */
const EPOCH_MS_MIN = -62_135_596_800_000;
const EPOCH_MS_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Writes a time as the wire has it: ISO 8601 UTC with milliseconds. @param epochMs milliseconds since the epoch. */
export const formatTimestamp = (epochMs: number): string => new Date(epochMs).toISOString();

/** A timestamp on the wire; parses to milliseconds since the epoch. */
export const timestampSchema = z
  .string()
  .transform((text, context) => {
    const epochMs = parseTimestamp(text);
    if (epochMs === undefined) {
      context.addIssue({ code: 'custom', message: 'must be an ISO 8601 timestamp' });
      return z.NEVER;
    }
    return epochMs;
  })
  .meta({
    openapi: { type: 'string', pattern: ISO_8601.source.replace('T ', 'Tt ').replace('(Z)', '([Zz])') },
    description: 'ISO 8601 with any offset; UTC when there is none.',
    example: '2026-11-20T09:00:00.000Z',
  });

/** A timestamp of an answer, as {@link formatTimestamp} writes it. */
export const timestampTextSchema = z.string().meta({
  openapi: { type: 'string', format: 'date-time' },
  example: '2026-11-20T09:00:00.000Z',
});

/** When a stored object was made and changed, as answers have it. */
export const storedTimes = { created_at: timestampTextSchema, updated_at: timestampTextSchema };

/** When an object of an import was made and changed. */
export const restoredTimes = { created_at: timestampSchema, updated_at: timestampSchema };
