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
