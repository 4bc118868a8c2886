import { z } from 'zod';
import type { CassetteEntry } from './entry.js';

/** Headers that say how an answer is framed, which the gateway decides. */
const FRAMING = ['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'];

const text = z.string();
const value = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/);

/** What is relied upon of an entry: a cassette is a file that anybody may have written. */
const entrySchema = z.looseObject({
  request: z.looseObject({ method: text, provider: text, path: text, text: text.optional() }),
  answer: z.looseObject({
    text: text.optional(),
    status: z.int().min(200).max(999),
    headers: z.record(
      z
        .string()
        .regex(/^[\w-]+$/)
        .refine((name) => !FRAMING.includes(name.toLowerCase()), 'is not for a cassette'),
      z.union([value, z.number()]),
    ),
    base64: text.optional(),
    file: text.optional(),
    indent: z.int().optional(),
    events: z.array(z.union([text, z.strictObject({ event: text, data: text }), z.strictObject({ text })])).optional(),
  }),
});

/** @returns what was read of a cassette's file as an entry. @throws Error naming what is wrong with it. */
export function readEntry(read: unknown): CassetteEntry {
  const { error } = entrySchema.safeParse(read);
  if (!error) return read as CassetteEntry;
  throw new Error(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}
