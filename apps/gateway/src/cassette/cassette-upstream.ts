import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@spandrel/kernel';
import type { Endpoint, RecordedAnswer } from '@spandrel/plugin-api';
import { errorAnswer } from '../forward/answer-error.js';
import { headerValues, withoutHeaders } from '../forward/forward-headers.js';
import { credentialsOf } from '../recording/secrets.js';
import { readAnswer } from '../recording/read-answer.js';
import type { Target } from '../target/resolve-target.js';
import {
  UpstreamError,
  type Exchange,
  type ResponseHead,
  type UpstreamClient,
  type UpstreamHandler,
  type UpstreamRequest,
} from '../upstream/upstream-client.js';
import { contentBytes, eventBytes, type TimedPiece } from './cassette-answer.js';
import { readForm, type GivenRequest } from './cassette-request.js';
import type { Cassette } from './cassette.js';
import type { CassetteTiming } from './cassette.settings.js';
import type { CassetteEntry, CassetteRequest, Mask } from './entry.js';

/** What is known of a call with a cassette before its body has come. */
interface CassetteCall {
  headers: IncomingHttpHeaders;
  url: string;
  provider: string;
  target: Target;
  timing: CassetteTiming;
}

const noMask: Mask = (value) => value;

/** Answers one call from a cassette, or has it go out and be recorded there: to its forwarding it is an upstream. */
export class CassetteExchange implements Exchange {
  private readonly gathered: Buffer[] = [];
  private outside: Exchange | null = null;
  /** Records the answer of a call that went out, as far as it has come. */
  private over: ((isCut: boolean) => void) | null = null;
  private isAborted = false;
  private resumed: PromiseWithResolvers<void> | null = null;

  /** @param onRecorded called when a call was recorded. */
  constructor(
    private readonly cassette: Cassette,
    private readonly call: CassetteCall,
    private readonly next: UpstreamClient,
    private readonly onRecorded: () => void,
    private readonly request: UpstreamRequest,
    private readonly handler: UpstreamHandler,
  ) {
    const { body } = request;
    if (typeof body === 'string') return;
    // The sender does not know this exchange yet.
    queueMicrotask(() => this.begin(body ?? Buffer.alloc(0)));
  }

  write(chunk: Buffer): boolean {
    this.gathered.push(chunk);
    return true;
  }

  end(): void {
    this.begin(Buffer.concat(this.gathered));
  }

  resume(): void {
    this.resumed?.resolve();
    this.outside?.resume();
  }

  abort(): void {
    this.isAborted = true;
    this.resumed?.resolve();
    this.over?.(true);
    this.outside?.abort();
  }

  /** Answers; a request or a recording that cannot be read fails this call alone. */
  private begin(body: Buffer): void {
    this.answer(body).catch((error: Error) => {
      if (!this.isAborted) this.miss(`The call cannot be looked for on its cassette: ${error.message}`);
    });
  }

  private async answer(body: Buffer): Promise<void> {
    const { cassette, call } = this;
    const { headers, url, provider } = call;
    const isEncoded = headers['content-encoding'] !== undefined;
    const form = isEncoded ? null : await readForm(headers['content-type'], body);
    if (this.isAborted) return;
    const given: GivenRequest = {
      ...{ method: this.request.method, provider, url },
      ...{ isEncoded, body, form },
    };
    const secrets = credentialsOf(headers, url);
    const redact: Mask = (value) => JSON.parse(secrets.redactJson(JSON.stringify(value)));
    const described = cassette.describe(given, redact);
    if (cassette.mode !== 'record') {
      // A stand-in for a key may be a word that is said.
      const found = cassette.find(described) ?? cassette.find(cassette.describe(given, noMask));
      if (found) return this.replay(found);
      if (cassette.mode === 'replay') return this.miss(cassette.missed(described));
    }
    this.sendOut(body, described, redact);
  }

  private async replay({ answer }: CassetteEntry): Promise<void> {
    const { handler, call } = this;
    // People may have written a number.
    const headers = Object.entries(answer.headers).flat().map(String);
    const cutShort = (): void => handler.onError(new UpstreamError('cut', 'the connection ended on the cassette, too'));
    const isStream = answer.events !== undefined;
    let pieces: Buffer[];
    try {
      pieces = isStream ? eventBytes(answer) : [contentBytes(answer, (name) => this.cassette.body(name))];
    } catch (error) {
      return this.miss(`The answer on the cassette cannot be read: ${(error as Error).message}`);
    }
    const isPaced = isStream && call.timing === 'recorded';
    const whole = isPaced ? Buffer.alloc(0) : Buffer.concat(pieces);
    const hasLength = !isStream && !answer.cut;
    if (hasLength && (whole.length > 0 || answer.status !== 204)) headers.push('content-length', String(whole.length));
    handler.onHead(headOf(answer.status, headers, hasLength ? whole.length : null));
    if (isPaced) {
      const pauses = String(answer.pauses_ms ?? '').split(' ');
      for (const [index, data] of pieces.entries()) {
        const pause = Number(pauses[index] ?? 0);
        if (pause > 0) await sleep(pause);
        if (this.isAborted) return;
        if (!handler.onData(data)) await (this.resumed = Promise.withResolvers()).promise;
      }
    }
    if (this.isAborted) return;
    if (!answer.cut) return handler.onEnd(whole.length > 0 ? whole : null, []);
    if (whole.length > 0) handler.onData(whole);
    cutShort();
  }

  private miss(message: string): void {
    const { handler, call } = this;
    const provider = call.target.wire?.provider ?? null;
    const { status, headers, body } = errorAnswer({ code: 'cassette_miss', message }, provider, newId());
    // Clients would try a conflict again.
    const fields = Object.entries({ ...headers, 'x-should-retry': 'false' }).flat();
    const bytes = Buffer.from(body);
    handler.onHead(headOf(status, fields, bytes.length));
    handler.onEnd(bytes, []);
  }

  /** Has the call go out; its answer passes, and is recorded when it is over, unless it never began. */
  private sendOut(body: Buffer, described: CassetteRequest, mask: Mask): void {
    const { request, cassette, handler } = this;
    const place = cassette.begin();
    const sentAt = performance.now();
    const pieces: TimedPiece[] = [];
    let head: ResponseHead | null = null;
    const take = (data: Buffer | null): void => {
      if (data !== null && data.length > 0) pieces.push({ data: Buffer.from(data), at: performance.now() });
    };
    this.over = (isCut) => {
      this.over = null;
      if (head === null) return;
      const { endpoint } = this.call.target;
      const answer = { status: head.status, headers: head.headers, pieces, sentAt, isCut };
      cassette.record(place, described, answer, mask, endpoint && usageOf(endpoint, head, pieces));
      this.onRecorded();
    };
    const recording: UpstreamHandler = {
      onInformation: (status, headers) => handler.onInformation(status, headers),
      onDrain: () => handler.onDrain(),
      onResend: () => handler.onResend(),
      onHead: (came) => handler.onHead((head = came)),
      onData: (piece) => {
        take(piece);
        return handler.onData(piece);
      },
      onEnd: (rest, trailers) => {
        take(rest);
        this.over?.(false);
        handler.onEnd(rest, trailers);
      },
      onError: (error) => {
        this.over?.(true);
        handler.onError(error);
      },
    };
    // The answer is to be recorded as text.
    const headers = withoutHeaders(request.headers, ['accept-encoding', 'expect', 'content-length']);
    if (body.length > 0) headers.push('Content-Length', String(body.length));
    this.outside = this.next.send({ ...request, headers, body: body.length > 0 ? body : null }, recording);
  }
}

const headOf = (status: number, headers: string[], contentLength: number | null): ResponseHead => ({
  ...{ status, statusMessage: STATUS_CODES[status] ?? '', headers, contentLength },
  framing: contentLength === null ? 'chunked' : 'length',
});

/** The tokens of an answer, where its provider says them. */
function usageOf(endpoint: Endpoint, head: ResponseHead, pieces: TimedPiece[]): CassetteEntry['usage'] | undefined {
  const contentType = headerValues(head.headers, 'content-type')[0] ?? null;
  const bytes = pieces.reduce((sum, { data }) => sum + data.length, 0);
  let answer: RecordedAnswer | null;
  try {
    const facts = { status: head.status, statusMessage: '', contentType, contentEncoding: null, contentLength: null };
    ({ answer } = readAnswer(endpoint, facts, { pieces, tail: [], gap: 'none', bytes }, false));
  } catch {
    return undefined;
  }
  const { inputTokens: input = null, outputTokens: output = null } = answer?.usage ?? {};
  if (input === null && output === null) return undefined;
  return { ...(input !== null && { input_tokens: input }), ...(output !== null && { output_tokens: output }) };
}
