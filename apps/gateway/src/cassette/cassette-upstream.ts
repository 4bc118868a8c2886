import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint, RecordedAnswer } from '@spandrel/plugin-api';
import { errorAnswer } from '../forward/answer-error.js';
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
import type { GivenRequest } from './cassette-request.js';
import type { Cassette } from './cassette.js';
import type { CassetteTiming } from './cassette.settings.js';
import type { CassetteEntry, CassetteRequest, Mask } from './entry.js';
import { newId } from '@spandrel/kernel';

/** What is known of a call with a cassette before its body has come. */
interface CassetteCall {
  headers: IncomingHttpHeaders;
  url: string;
  provider: string;
  target: Target;
  timing: CassetteTiming;
}

/** Answers one call from a cassette, or has it go out and be recorded there: to its forwarding it is an upstream. */
export class CassetteUpstream implements UpstreamClient {
  /** @param onRecorded called when a call was recorded. */
  constructor(
    private readonly cassette: Cassette,
    private readonly call: CassetteCall,
    private readonly next: UpstreamClient,
    private readonly onRecorded: () => void,
  ) {}

  send(request: UpstreamRequest, handler: UpstreamHandler): Exchange {
    return new CassetteExchange(this.cassette, this.call, this.next, this.onRecorded, request, handler);
  }

  close(): void {
    // The upstream behind it is closed by the gateway.
  }
}

const noMask: Mask = (value) => value;

class CassetteExchange implements Exchange {
  private readonly gathered: Buffer[] = [];
  private outside: Exchange | null = null;
  private recording: RecordedAnswerHandler | null = null;
  private isAborted = false;
  private resumed: PromiseWithResolvers<void> | null = null;

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
    // Whoever sends does not know this exchange yet.
    queueMicrotask(() => this.answer(body ?? Buffer.alloc(0)));
  }

  write(chunk: Buffer): boolean {
    this.gathered.push(chunk);
    return true;
  }

  end(): void {
    this.answer(Buffer.concat(this.gathered));
  }

  resume(): void {
    this.resumed?.resolve();
    this.outside?.resume();
  }

  abort(): void {
    this.isAborted = true;
    this.resumed?.resolve();
    this.recording?.breakOff();
    this.outside?.abort();
  }

  private answer(body: Buffer): void {
    if (this.isAborted) return;
    const { cassette, call } = this;
    const { headers, url, provider } = call;
    const given: GivenRequest = {
      ...{ method: this.request.method, provider, url, body },
      contentType: headers['content-type'],
      isEncoded: headers['content-encoding'] !== undefined,
    };
    const secrets = credentialsOf(headers, url);
    const redact: Mask = (value) => JSON.parse(secrets.redactJson(JSON.stringify(value)));
    const described = cassette.describe(given, redact);
    if (cassette.mode !== 'record') {
      // A stand-in for a key may be a word that is said.
      const found = cassette.find(described) ?? cassette.find(cassette.describe(given, noMask));
      if (found) return void this.replay(found);
      if (cassette.mode === 'replay') return this.miss(cassette.missed(described));
    }
    this.sendOut(body, described, redact);
  }

  private async replay({ answer }: CassetteEntry): Promise<void> {
    const { handler, call } = this;
    const headers = Object.entries(answer.headers).flat();
    const cutShort = (): void => handler.onError(new UpstreamError('cut', 'the connection ended on the cassette, too'));
    let whole: Buffer;
    try {
      whole =
        answer.events === undefined
          ? contentBytes(answer, (name) => this.cassette.body(name))
          : Buffer.concat(eventBytes(answer));
    } catch (error) {
      return this.miss(`The answer on the cassette cannot be read: ${(error as Error).message}`);
    }
    const hasLength = answer.events === undefined && !answer.cut;
    if (hasLength && (whole.length > 0 || answer.status !== 204)) headers.push('content-length', String(whole.length));
    handler.onHead(headOf(answer.status, headers, hasLength ? whole.length : null));
    if (answer.events !== undefined && call.timing === 'recorded') {
      const pauses = String(answer.pauses_ms ?? '').split(' ');
      for (const [index, data] of eventBytes(answer).entries()) {
        const pause = Number(pauses[index] ?? 0);
        if (pause > 0) await sleep(pause);
        if (this.isAborted) return;
        if (!handler.onData(data)) await (this.resumed = Promise.withResolvers()).promise;
      }
      whole = Buffer.alloc(0);
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

  private sendOut(body: Buffer, described: CassetteRequest, mask: Mask): void {
    const { request, cassette, handler } = this;
    const place = cassette.begin();
    const { endpoint } = this.call.target;
    const recording = new RecordedAnswerHandler(handler, (head, pieces, sentAt, isCut) => {
      const answer = { status: head.status, headers: head.headers, pieces, sentAt, isCut };
      const usage = endpoint && usageOf(endpoint, head, pieces);
      cassette.record(place, described, answer, mask, usage);
      this.onRecorded();
    });
    this.recording = recording;
    const hasBody = body.length > 0;
    const headers = withoutHeaders(request.headers, [
      'accept-encoding',
      'expect',
      ...(hasBody ? ['content-length'] : []),
    ]);
    if (hasBody) headers.push('Content-Length', String(body.length));
    this.outside = this.next.send({ ...request, headers, body: hasBody ? body : null }, recording);
  }
}

const headOf = (status: number, headers: string[], contentLength: number | null): ResponseHead => ({
  ...{ status, statusMessage: STATUS_CODES[status] ?? '', headers, contentLength },
  framing: contentLength === null ? 'chunked' : 'length',
});

function withoutHeaders(headers: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!names.includes(headers[i]!.toLowerCase())) kept.push(headers[i]!, headers[i + 1]!);
  }
  return kept;
}

/** Takes an answer down as it passes; calls back once, when it is over, unless it never began. */
class RecordedAnswerHandler implements UpstreamHandler {
  private head: ResponseHead | null = null;
  private readonly pieces: TimedPiece[] = [];
  private readonly sentAt = performance.now();
  private isOver = false;

  constructor(
    private readonly handler: UpstreamHandler,
    private readonly onOver: (head: ResponseHead, pieces: TimedPiece[], sentAt: number, isCut: boolean) => void,
  ) {}

  /** The client has gone: what has come is all. */
  breakOff(): void {
    this.over(true);
  }

  onInformation(status: number, headers: string[]): void {
    this.handler.onInformation(status, headers);
  }

  onHead(head: ResponseHead): void {
    this.head = head;
    this.handler.onHead(head);
  }

  onData(piece: Buffer | null): boolean {
    this.take(piece);
    return this.handler.onData(piece);
  }

  onEnd(rest: Buffer | null, trailers: string[]): void {
    this.take(rest);
    this.over(false);
    this.handler.onEnd(rest, trailers);
  }

  onError(error: UpstreamError): void {
    this.over(true);
    this.handler.onError(error);
  }

  onDrain(): void {
    this.handler.onDrain();
  }

  onResend(): void {
    this.handler.onResend();
  }

  private take(data: Buffer | null): void {
    // The buffer of a read is used again.
    if (data !== null && data.length > 0) this.pieces.push({ data: Buffer.from(data), at: performance.now() });
  }

  private over(isCut: boolean): void {
    if (this.isOver || this.head === null) return;
    this.isOver = true;
    this.onOver(this.head, this.pieces, this.sentAt, isCut);
  }
}

/** The tokens of an answer, where its provider says them. */
function usageOf(endpoint: Endpoint, head: ResponseHead, pieces: TimedPiece[]): CassetteEntry['usage'] | undefined {
  let answer: RecordedAnswer | null = null;
  try {
    const bytes = pieces.reduce((sum, { data }) => sum + data.length, 0);
    const contentType = withoutHeaders(head.headers, []).find(
      (_, i, all) => all[i - 1]?.toLowerCase() === 'content-type',
    );
    const facts = { status: head.status, statusMessage: '', contentEncoding: null, contentLength: null };
    const body = { pieces, tail: [], gap: 'none' as const, bytes };
    ({ answer } = readAnswer(endpoint, { ...facts, contentType: contentType ?? null }, body, false));
  } catch {
    return undefined;
  }
  const { inputTokens, outputTokens } = answer?.usage ?? {};
  if (typeof inputTokens !== 'number' && typeof outputTokens !== 'number') return undefined;
  return {
    ...(typeof inputTokens === 'number' && { input_tokens: inputTokens }),
    ...(typeof outputTokens === 'number' && { output_tokens: outputTokens }),
  };
}
