import { z } from 'zod';

/** A body as a cassette has it: JSON as YAML where its bytes can be made of it again, else text, else bytes. */
export interface Content {
  /** A JSON value; `indent` and `newline` say how it was written where it was not compact. */
  body?: unknown;
  indent?: number;
  newline?: true;
  text?: string;
  base64?: string;
  /** Name of a file in `NAME.cassette/`. */
  file?: string;
}

/** A part of a form: a field's text, or the digest of a file, whose bytes no cassette has. */
export interface FormPart {
  name: string;
  text?: string;
  sha256?: string;
  bytes?: number;
}

export interface CassetteRequest {
  method: string;
  provider: string;
  /** With its query, without credentials. */
  path: string;
  body?: unknown;
  text?: string;
  form?: FormPart[];
  /** The digest of a body that is neither text nor a form. */
  sha256?: string;
}

/** An event of a stream: the data of one without a name, a named one, or what is no usual event, as it came. */
export type CassetteEvent = string | { event: string; data: string } | { text: string };

export interface CassetteAnswer extends Content {
  status: number;
  /** `content-type` and what clients act on, by lower case name. */
  headers: Record<string, string>;
  framing?: 'sse' | 'ndjson';
  /** Milliseconds before each event, with blanks between them: one line, so that a diff shows what was said. */
  pauses_ms?: string | number;
  events?: CassetteEvent[];
  /** The connection ended before the answer did. */
  cut?: true;
}

/** One recorded call, as its document of the file has it. */
export interface CassetteEntry {
  request: CassetteRequest;
  answer: CassetteAnswer;
  usage?: Record<string, number>;
  /** Put together from what spans hold: the bytes are not the provider's. */
  reconstructed?: true;
}

/** Takes what must not be kept out of a JSON value or a text. */
export type Mask = <Value>(value: Value) => Value;

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
