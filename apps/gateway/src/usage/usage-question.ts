import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '@spandrel/plugin-api';
import type { ResponseHead } from '../upstream/upstream-client.js';
import { askForUsage } from './ask-for-usage.js';
import { UsageChunkFilter } from './usage-chunk-filter.js';

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
    const isStream = valuesOf(headers, 'content-type').some((type) => /^text\/event-stream\b/i.test(type.trim()));
    const isPlain = valuesOf(headers, 'content-encoding').every((coding) => /^(identity)?$/i.test(coding.trim()));
    if (!this.asked || status < 200 || status >= 300 || !isStream || !isPlain) return headers;
    this.filter = new UsageChunkFilter();
    return without(headers, 'content-length');
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

const valuesOf = (headers: readonly string[], name: string): string[] =>
  headers.filter((_text, index) => index % 2 === 1 && headers[index - 1]!.toLowerCase() === name);

const without = (headers: readonly string[], name: string): string[] =>
  headers.filter((_text, index) => headers[index - (index % 2)]!.toLowerCase() !== name);
