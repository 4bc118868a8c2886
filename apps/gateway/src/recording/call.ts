import type { Endpoint } from '@spandrel/plugin-api';
import type { ResponseHead } from '../upstream/upstream-client.js';
import { headerValues } from '../forward/forward-headers.js';
import type { CallerKey } from '../access/caller-key.js';
import type { SpoolItem } from '../spool/caller-queue.js';
import type { ListMember } from '../unordered-list.js';
import type { AnswerFacts, CallFacts, Outcome, Wire } from './call-facts.js';
import type { BodyBuffer, BodyNature } from './body-buffer.js';
import type { Secrets } from './secrets.js';
import { codingsOf } from './decode-body.js';
import { JSON_FORM, type EventWeight } from './long-body.js';
import { framingOf, readStream } from './read-answer.js';

/** One recorded call while it goes on: takes down what passes, reads nothing of it. */
export class Call implements ListMember {
  listIndex = -1;
  answer: AnswerFacts | null = null;
  outcome: Outcome = { kind: 'running' };
  endedTick = 0;
  /** The request has come whole. */
  requestComplete = false;
  /** The recording of the call as it runs, once it was made, and whether it was reported to the API. */
  running: SpoolItem | null = null;
  isReported = false;
  /** Names a response that the call begins or asks for, among all; `null` for a call that has to do with none. */
  keyOfResponse: ((id: string) => string) | null = null;
  /** Key of the response that is asked for; `null` for a call of its own. */
  asksFor: string | null = null;
  /** The end of the answer, while it waits for the recording to be kept. */
  private heldEnd: (() => void) | null = null;

  constructor(
    public facts: CallFacts,
    readonly wire: Wire,
    readonly request: BodyBuffer,
    readonly response: BodyBuffer,
    /** The call's own credentials, see `credentialsOf`. */
    readonly secrets: Secrets,
    /** The caller's key that the recording is delivered with; `null` for the gateway's own. */
    readonly caller: CallerKey | null,
    /** Whether nothing waits for the recording to be kept: there is no spool directory, or it was kept. */
    public isPersisted: boolean,
  ) {
    request.describe = () => requestNature(facts.requestEncoding);
    response.describe = () => answerNature(wire.endpoint, this.answer);
  }

  requestChunk(chunk: Buffer): void {
    this.request.add(chunk, 0);
  }

  endRequest(): void {
    this.requestComplete = true;
  }

  responseHead(head: ResponseHead): void {
    this.answer = {
      status: head.status,
      statusMessage: head.statusMessage,
      contentType: headerValues(head.headers, 'content-type').join(', ') || null,
      contentEncoding: headerValues(head.headers, 'content-encoding').join(', ') || null,
      contentLength: head.contentLength,
    };
  }

  responseChunk(chunk: Buffer): void {
    this.response.add(chunk, performance.now());
  }

  /** Notes how it went; only the first time counts. @param at when it ended. @returns whether this was the first. */
  end(outcome: Outcome, at: number): boolean {
    if (this.outcome.kind !== 'running') return false;
    this.outcome = outcome;
    this.endedTick = at;
    return true;
  }

  /** Name of the recording over a crash, which has one place for a span's own call and one for the call that brings its end. */
  get recordingId(): string {
    return this.asksFor === null ? this.facts.id : `${this.facts.id}.end`;
  }

  /** Has the end of the answer pass when the recording is kept (docs/spec/gateway.md#when-the-api-is-down). */
  afterPersisted(end: () => void): void {
    if (this.isPersisted) end();
    else this.heldEnd = end;
  }

  /** The recording is kept, or cannot be. */
  persisted(): void {
    this.isPersisted = true;
    const end = this.heldEnd;
    this.heldEnd = null;
    end?.();
  }

  /** Lets go of its bodies, which are read elsewhere; they count in the budget until {@link release}. */
  forget(): void {
    this.request.forget();
    this.response.forget();
  }

  /** Gives back the memory of its bodies. */
  release(): void {
    this.request.release();
    this.response.release();
  }
}

/** What a request's body is. @param contentEncoding of the request. */
export const requestNature = (contentEncoding: string | null): BodyNature => ({
  codings: codingsOf(contentEncoding),
  form: JSON_FORM,
});

/** What an answer's body is. */
export function answerNature(endpoint: Endpoint, answer: AnswerFacts | null): BodyNature {
  const framing = framingOf(answer?.contentType ?? null) ?? endpoint.framing;
  return {
    codings: codingsOf(answer?.contentEncoding),
    form: framing === 'json' ? JSON_FORM : { framing, weightOf: (event) => weightOf(endpoint, framing, event) },
  };
}

/** A small event that a reader finds nothing in may belong to others: a piece of a call's arguments. */
const SMALL_BYTES = 4 * 1024;

function weightOf(endpoint: Endpoint, framing: Endpoint['framing'], event: Buffer): EventWeight {
  try {
    const pieces = [{ data: event, at: 0 }];
    const { reader } = readStream(endpoint, framing, { pieces, tail: [], gap: 'none', bytes: event.length });
    const { text, toolCalls, finishReason, usage, error } = reader.answer();
    const isEnd = reader.ended || finishReason !== null || error !== null;
    const hasTokens = usage.inputTokens !== null || usage.outputTokens !== null;
    if (isEnd || hasTokens || toolCalls.length > 0) return 'more';
    if (text) return 'text';
    return event.length > SMALL_BYTES ? 'nothing' : 'more';
  } catch {
    return 'nothing';
  }
}
