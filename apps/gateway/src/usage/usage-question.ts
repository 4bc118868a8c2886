import type { IncomingHttpHeaders } from 'node:http';
import { objectOf, readJson, type Endpoint } from '@spandrel/plugin-api';
import { endOfString, jsonMembers, type JsonMember } from '@spandrel/contract';
import { headerValues, withoutHeaders } from '../forward/forward-headers.js';
import type { ResponseHead } from '../upstream/upstream-client.js';

/** The longest body that is looked into; longer ones pass as they are. */
export const QUESTION_BYTES_MAX = 1024 * 1024;

/** Headers by which a body is signed, or by which it is something else than the JSON that it stands for. */
const BODY_BOUND = ['content-encoding', 'content-digest', 'digest', 'content-md5', 'signature', 'x-amz-content-sha256'];

/**
 * The gateway's own question for the usage of one streamed call (docs/spec/gateway.md#asking-for-usage): asked where the
 * client did not ask, and its answer taken out again. A call that is not asked about passes as it is.
 */
export class UsageQuestion {
  private asked = false;
  private filter: UsageChunkFilter | null = null;

  /** @returns `null` for a call that cannot be asked about. */
  static of({ usageOption }: Endpoint, headers: IncomingHttpHeaders): UsageQuestion | null {
    if (usageOption !== 'stream_options') return null;
    return BODY_BOUND.some((name) => headers[name] !== undefined) ? null : new UsageQuestion();
  }

  /** The whole body of the request, as it goes on. */
  request(body: Buffer): Buffer {
    const changed = askForUsage(body);
    this.asked = changed !== null;
    return changed ?? body;
  }

  /** The headers of the request, as they go on: a changed body has another length, and its answer must be readable. */
  requestHeaders(headers: readonly string[], length: number): readonly string[] {
    if (!this.asked) return headers;
    return headers.map((text, index) => {
      const name = index % 2 === 1 ? headers[index - 1]!.toLowerCase() : '';
      if (name === 'content-length') return String(length);
      return name === 'accept-encoding' ? 'identity' : text;
    });
  }

  /** The headers of the answer, as they go on. An answer that cannot be read passes as it is, with the question's chunk. */
  responseHeaders({ status, headers }: ResponseHead): string[] {
    const isStream = headerValues(headers, 'content-type').some((type) => /^text\/event-stream\b/i.test(type.trim()));
    const isPlain = headerValues(headers, 'content-encoding').every((coding) => /^(identity)?$/i.test(coding.trim()));
    if (!this.asked || status < 200 || status >= 300 || !isStream || !isPlain) return headers;
    this.filter = new UsageChunkFilter();
    return withoutHeaders(headers, ['content-length']);
  }

  /** A piece of the answer. @returns what goes on by now, possibly nothing. */
  pass(chunk: Buffer): Buffer {
    return this.filter ? this.filter.push(chunk) : chunk;
  }

  /** What is left of the answer at its end. */
  rest(): Buffer {
    return this.filter?.end() ?? Buffer.alloc(0);
  }
}

const ASKED = '{"include_usage":true}';

/**
 * The body of an OpenAI request for a stream, with `stream_options.include_usage` set; every other byte stays as it is
 * (docs/spec/gateway.md#asking-for-usage).
 * @returns `null` for a body that is to pass as it is: one that asks for no stream, has asked for usage itself, or cannot
 * be changed without guessing what its server would have read in it (no JSON, a member that comes twice), or has so many
 * values that looking into it would hold up others.
 */
export function askForUsage(body: Buffer): Buffer | null {
  // One character a byte, so that places in the text are places in the body; names that count here are ASCII.
  const text = body.toString('latin1');
  if (!text.includes('"stream"') || hasManyValues(text)) return null;
  const value = readJson(text);
  if (objectOf(value) !== value) return null;
  const open = text.indexOf('{');
  const members = [...jsonMembers(text, open)];
  const stream = only(members, 'stream');
  if (!stream || valueOf(text, stream) !== 'true') return null;
  if (!members.some(({ name }) => name === 'stream_options')) {
    const close = closeOf(text, open, members);
    return replaced(text, close, close, `,"stream_options":${ASKED}`);
  }
  const options = only(members, 'stream_options');
  return options ? changeOptions(text, options) : null;
}

function changeOptions(text: string, options: JsonMember): Buffer | null {
  if (valueOf(text, options) === 'null') return replaced(text, options.valueStart, options.end, ASKED);
  if (text[options.valueStart] !== '{') return null;
  const members = [...jsonMembers(text, options.valueStart)];
  if (!members.some(({ name }) => name === 'include_usage')) {
    const close = closeOf(text, options.valueStart, members);
    return replaced(text, close, close, `${members.length > 0 ? ',' : ''}"include_usage":true`);
  }
  const include = only(members, 'include_usage');
  const declined = include && (valueOf(text, include) === 'false' || valueOf(text, include) === 'null');
  return declined ? replaced(text, include.valueStart, include.end, 'true') : null;
}

/** The member of that name; `undefined` where there is none, or more than one. */
function only(members: readonly JsonMember[], wanted: string): JsonMember | undefined {
  const named = members.filter(({ name }) => name === wanted);
  return named.length === 1 ? named[0] : undefined;
}

const valueOf = (text: string, { valueStart, end }: JsonMember): string => text.slice(valueStart, end);

/** Where the closing brace of an object stands. */
const closeOf = (text: string, open: number, members: readonly JsonMember[]): number =>
  text.indexOf('}', members.at(-1)?.end ?? open);

const replaced = (text: string, start: number, end: number, by: string): Buffer =>
  Buffer.from(text.slice(0, start) + by + text.slice(end), 'latin1');

/** Far more than any chat has; a text has as many with a comma or an opening bracket each. */
const VALUES_MAX = 20_000;

function hasManyValues(text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      if (at === -1) return false;
    } else if ((character === ',' || character === '[' || character === '{') && ++values > VALUES_MAX) {
      return true;
    }
  }
  return false;
}

const LF = 0x0a;
const CR = 0x0d;

/** An event that is longer is not the one looked for, which has some hundred bytes. */
const HELD_BYTES_MAX = 16 * 1024;

/** No event that is shorter has usage and choices. */
const USAGE_BYTES_MIN = '{"choices":[],"usage":{}}'.length;

/**
 * Takes the chunk with nothing but usage out of a stream of server-sent events in OpenAI's format. Everything else comes
 * out byte for byte. An event is held until it is whole; nobody can read it sooner.
 */
export class UsageChunkFilter {
  /** The beginning of an event that is not whole. */
  private held: Buffer[] = [];
  private heldBytes = 0;
  /** The event is too long to be held: the rest of it passes as it comes. */
  private passing = false;
  /** No byte of the current line has come. */
  private lineIsEmpty = true;
  /** The last piece ended in a carriage return, whose line feed may follow. */
  private endedInCr = false;
  /** The last whole event was taken out. */
  private tookOut = false;

  /** @returns what may go on by now, possibly nothing. */
  push(chunk: Buffer): Buffer {
    const out: Buffer[] = [];
    let start = this.lineFeedLeft(chunk, out);
    /** Where the whole events begin that go on and have not been given out. */
    let passed = start;
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== CR && byte !== LF) {
        this.lineIsEmpty = false;
        continue;
      }
      if (byte === CR) {
        if (chunk[at + 1] === LF) at++;
        else this.endedInCr = at + 1 === chunk.length;
      }
      if (this.lineIsEmpty) {
        if (this.endEvent(chunk, start, at + 1, out)) {
          if (start > passed) out.push(chunk.subarray(passed, start));
          passed = at + 1;
        }
        start = at + 1;
      }
      this.lineIsEmpty = true;
    }
    if (start > passed) out.push(chunk.subarray(passed, start));
    if (start < chunk.length) this.hold(chunk.subarray(start), out);
    return out.length === 1 ? out[0]! : Buffer.concat(out);
  }

  /** The stream is over, whole or not. @returns what was held. */
  end(): Buffer {
    const rest = Buffer.concat(this.held);
    this.held = [];
    return isUsageChunk(rest) ? Buffer.alloc(0) : rest;
  }

  /** A line feed that belongs to the end of the last piece. @returns where the rest of the piece begins. */
  private lineFeedLeft(chunk: Buffer, out: Buffer[]): number {
    if (chunk.length === 0 || !this.endedInCr) return 0;
    this.endedInCr = false;
    if (chunk[0] !== LF) return 0;
    const feed = chunk.subarray(0, 1);
    const eventIsOver = this.heldBytes === 0 && !this.passing;
    if (!eventIsOver) this.hold(feed, out);
    else if (!this.tookOut) out.push(feed);
    return 1;
  }

  /**
   * An event is whole; what was held of it goes on where it is not the one looked for.
   * @returns whether it is taken out.
   */
  private endEvent(chunk: Buffer, start: number, end: number, out: Buffer[]): boolean {
    const length = this.heldBytes + end - start;
    const mayBe = !this.passing && length <= HELD_BYTES_MAX && length >= USAGE_BYTES_MIN;
    this.tookOut = mayBe && isUsageChunk(Buffer.concat([...this.held, chunk.subarray(start, end)]));
    if (this.held.length > 0) {
      if (!this.tookOut) out.push(...this.held);
      this.held = [];
    }
    this.heldBytes = 0;
    this.passing = false;
    return this.tookOut;
  }

  private hold(part: Buffer, out: Buffer[]): void {
    this.held.push(part);
    this.heldBytes += part.length;
    if (!this.passing && this.heldBytes <= HELD_BYTES_MAX) return;
    this.passing = true;
    out.push(...this.held);
    this.held = [];
  }
}

/** Whether an event is a chunk with usage and without choices, as `stream_options.include_usage` has it sent last. */
function isUsageChunk(event: Buffer): boolean {
  if (!event.includes('"usage"')) return false;
  const data = event
    .toString('utf8')
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length));
  const { choices, usage } = objectOf(readJson(data.join('\n')));
  return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null;
}
