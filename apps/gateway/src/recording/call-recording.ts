import type { IncomingMessage } from 'node:http';
import { newId, type Clock, type LoadedMasker, type Logger, type PluginEntry } from '@spandrel/kernel';
import { FailedTexts } from '@spandrel/masking/engine';
import type { RequestHead, Endpoint } from '@spandrel/plugin-api';
import type { CallerKey } from '../access/caller-key.js';
import type { GatewaySettings } from '../gateway.settings.js';
import { MaskingClient, RecordingRules, maskFacts, withoutContent } from '../masking/recording-rules.js';
import type { GatewayMetrics } from '../metrics.js';
import type { RecordingSpool } from '../spool/recording-spool.js';
import { BEHIND, REALTIME, RESPONSES, type Target, FORWARD_HEADER } from '../target/resolve-target.js';
import { RecordedLive, type LiveConversation } from '../forward/recorded-live.js';
import { RecordedRealtime } from '../forward/recorded-realtime.js';
import { RecordedWebSocket, type WebSocketCalls, type WebSocketRecorder } from '../forward/recorded-websocket.js';
import { responseKey, type BackgroundResponses } from './background-responses.js';
import { type AnswerFacts, type Outcome, type CallFacts, correlationOf, unknownHeaders } from './call-facts.js';
import { CallReader } from './call-reader.js';
import { Call } from './call.js';
import { Recorder } from './recorder.js';
import { doubledPath } from '../target/wrong-address.js';
import { BodyBudget } from './long-body.js';
import { BodyBuffer } from './body-buffer.js';
import { captureOf } from './capture.js';
import { credentialsOf } from './secrets.js';

export interface CallRecordingParts {
  maskers: readonly LoadedMasker[];
  /** What threads load that read long calls; `null`: all calls are read at once. */
  plugins: readonly PluginEntry[] | null;
  logger: Logger;
  clock: Clock;
  metrics: GatewayMetrics;
  spool: RecordingSpool;
  responses: BackgroundResponses;
}

const TRACE = 'x-spandrel-trace-id';

/** How many sessions are remembered that may be resumed. */
const SESSIONS_MAX = 100;

interface ResumableSession {
  trace: string | string[] | undefined;
  conversation: LiveConversation;
}

/** From this age on a call that runs is in the spool directory: what a kill would leave of it. */
const KEEP_MS = 20;

/** The head that an answer in a WebSocket would have over HTTP. */
const ANSWER_BY_WEBSOCKET: AnswerFacts = Object.freeze({
  status: 200,
  statusMessage: 'OK',
  contentType: 'text/event-stream',
  contentEncoding: null,
  contentLength: null,
});

/**
 * The recording of calls: it makes a {@link Call}, which takes down what passes; {@link Recorder} has it read by
 * {@link CallReader} when it is over, masked by its project's {@link RecordingRules}, and hands it to the spool.
 */
export class CallRecording {
  readonly rules: RecordingRules;
  private readonly maskingClient: MaskingClient;
  private readonly clock: Clock;
  private readonly budget: BodyBudget;
  private readonly captureWarning: CaptureWarning;
  /** Whether there is a spool directory. */
  private readonly isKept: boolean;
  private readonly reader: CallReader;
  private readonly recorder: Recorder;
  /** Sessions of Gemini's Live API that may be resumed, the oldest first. */
  private readonly sessions = new Map<string, ResumableSession>();

  constructor(
    private readonly settings: GatewaySettings,
    parts: CallRecordingParts,
  ) {
    const { maskers, plugins, logger, clock, metrics, spool, responses } = parts;
    const failed = new FailedTexts(logger, (masker) => metrics.failedTexts.inc({ masker }));
    const onMaskerFailed = (masker: string): void => failed.note(masker);
    this.maskingClient = new MaskingClient(settings.apiUrl, settings.apiKey, settings.keyCheckMs);
    this.rules = new RecordingRules(this.maskingClient, maskers, onMaskerFailed);
    const { rules } = this;
    this.clock = clock;
    this.budget = new BodyBudget(settings.recordBytesTotal);
    this.captureWarning = new CaptureWarning(logger);
    this.isKept = spool.isOnDisk;
    const { readHereBytes: hereBytesMax, readMs, reportRunningMs, recordBytes, spoolItems } = settings;
    this.reader = new CallReader({ plugins, logger, onMaskerFailed }, { hereBytesMax, readMs });
    const keepMs = this.isKept ? Math.min(KEEP_MS, reportRunningMs) : reportRunningMs;
    const options = { reportRunningMs, keepMs, decodedBytesMax: recordBytes, awaitingRulesMax: spoolItems };
    this.recorder = new Recorder(spool, logger, options, rules, this.reader, metrics, responses, clock);
    rules.onKnown(() => this.recorder.lookAgain());
  }

  /** A request goes on. @returns its call; `null` when its endpoint is not recorded. */
  begin(req: IncomingMessage, head: RequestHead, target: Target, caller: CallerKey | null): Call | null {
    const { asked, endpoint = asked?.endpoint } = target;
    if (endpoint === undefined) return null;
    // One that asks for a response is read as the call that began it.
    const began = asked ? { ...head, method: asked.method, path: asked.path } : head;
    const call = this.callOf(req, began, { ...target, endpoint }, caller);
    if (asked) call.asksFor = responseKey(caller, target.base, asked.id);
    this.recorder.begin(call);
    return call;
  }

  /** Records the calls that pass in a WebSocket; `null` where it has none that are recorded. */
  ofWebSocket(
    req: AskingRequest,
    head: RequestHead,
    target: Target,
    caller: CallerKey | null,
  ): WebSocketRecorder | null {
    const { endpoint } = target;
    if (endpoint === undefined) return null;
    // The request is changed when it is passed on.
    const asked = { headers: { ...req.headers }, url: req.url! };
    const isNamed = asked.headers['traceparent'] !== undefined || asked.headers[TRACE] !== undefined;
    // A conversation is one trace.
    if (endpoint.name !== RESPONSES && !isNamed) asked.headers[TRACE] = newId();
    const calls: WebSocketCalls = {
      buffer: () => this.buffer(),
      begin: (request) => {
        const call = this.callOf(asked, head, { ...target, endpoint }, caller, request);
        call.answer = ANSWER_BY_WEBSOCKET;
        this.recorder.begin(call);
        return call;
      },
      end: (call, outcome, at) => this.recorder.end(call, outcome, at),
    };
    if (endpoint.name === REALTIME) return new RecordedRealtime(calls);
    if (endpoint.name === RESPONSES) return new RecordedWebSocket(calls);
    const keyOf = (handle: string): string => responseKey(caller, target.base, handle);
    return new RecordedLive(calls, {
      find: (handle) => {
        const session = this.sessions.get(keyOf(handle));
        if (session && !isNamed) asked.headers[TRACE] = session.trace;
        return session?.conversation;
      },
      keep: (handle, conversation) => this.keepSession(keyOf(handle), { trace: asked.headers[TRACE], conversation }),
    });
  }

  /** A session counts by the latest of its handles. */
  private keepSession(key: string, session: ResumableSession): void {
    const { sessions } = this;
    for (const [former, { conversation }] of sessions)
      if (conversation === session.conversation) sessions.delete(former);
    sessions.set(key, session);
    if (sessions.size > SESSIONS_MAX) sessions.delete(sessions.keys().next().value!);
  }

  /** A call is over; only the first outcome counts. */
  end(call: Call, outcome: Outcome): void {
    this.recorder.end(call, outcome);
  }

  /** Hands all recordings over. @param waitMs how long calls may be read in threads. */
  async drain(waitMs: number): Promise<void> {
    await this.recorder.drain(waitMs);
    await this.reader.close();
  }

  async close(): Promise<void> {
    this.rules.close();
    await this.maskingClient.close();
  }

  /** Room for a body. */
  private buffer(): BodyBuffer {
    return new BodyBuffer(this.settings.recordBytes, this.budget);
  }

  /** What is known of a call before its body has come. @param request its body, where that has come. */
  private callOf(
    req: AskingRequest,
    head: RequestHead,
    target: Target & { endpoint: Endpoint },
    caller: CallerKey | null,
    request = this.buffer(),
  ): Call {
    const secrets = credentialsOf(req.headers, req.url!);
    const rule = this.rules.of(caller);
    const masking = rule.kind === 'known' ? rule.masking : null;
    const read = this.factsOf(req, head, target);
    const kept: CallFacts = secrets.areTooMany ? { ...withoutContent(read), withheld: 'too_many_credentials' } : read;
    const facts = masking ? maskFacts(masking, kept) : kept;
    if (facts.captureNotUnderstood !== undefined) this.captureWarning.notUnderstood(facts.id);
    const wire = { entry: target.wire!, endpoint: target.endpoint };
    const call = new Call(facts, wire, request, this.buffer(), secrets, caller, !this.isKept);
    if (BEHIND.has(target.endpoint.name)) call.keyOfResponse = (id) => responseKey(caller, target.base, id);
    return call;
  }

  private factsOf(req: AskingRequest, head: RequestHead, target: Target): CallFacts {
    const mayBeDoubled = head.headers[FORWARD_HEADER] !== undefined && head.path.length <= DOUBLED_PATH_MAX;
    const doubled = mayBeDoubled ? doubledPath(target.base, head.path) : null;
    const correlation = correlationOf(req.headers);
    const unknown = unknownHeaders(req.headers);
    const { capture, notUnderstood } = captureOf(this.settings.capture, captureHeader(head.headers, unknown));
    return {
      id: newId(),
      traceId: correlation.traceId ?? newId(),
      parentId: correlation.parentId,
      trace: correlation.trace,
      provider: target.providerName,
      wire: { provider: target.wire!.name, method: head.method, path: head.path },
      startedAt: this.clock.now(),
      startedTick: performance.now(),
      ...(doubled !== null && { doubledPath: doubled }),
      capture,
      ...(notUnderstood !== undefined && { captureNotUnderstood: notUnderstood }),
      ...(Object.keys(unknown).length > 0 && { unknownHeaders: unknown }),
      requestEncoding: head.headers['content-encoding'] ?? null,
    };
  }
}

/** What is read of a request beside its {@link RequestHead}. */
type AskingRequest = Pick<IncomingMessage, 'headers' | 'url'>;

/** A path that is longer than any API has is not looked at for a part that stands there twice. */
const DOUBLED_PATH_MAX = 2_048;

const CAPTURE_HEADER = 'x-spandrel-capture';

/** What a call says of its capture mode. A misspelt header stands there with its name, so that it is not understood. */
function captureHeader(headers: RequestHead['headers'], unknown: Record<string, string | null>): string | undefined {
  const misspelt = Object.keys(unknown).find((name) => unknown[name] === CAPTURE_HEADER);
  return misspelt === undefined ? headers[CAPTURE_HEADER] : `${misspelt}: ${headers[misspelt] ?? ''}`;
}

/** The least time between two lines, in milliseconds. */
const PAUSE_MS = 60_000;

/**
 * Notes in the log that capture modes of calls were not understood: one line a minute at most, however many calls there
 * are. What the header said is in the span alone; the log holds no text of a caller's.
 */
export class CaptureWarning {
  private calls = 0;
  private silentUntil = -Infinity;

  /** @param tick the clock between lines, in milliseconds. */
  constructor(
    private readonly logger: Logger,
    private readonly tick = (): number => performance.now(),
  ) {}

  /** A call was recorded without content since its header was not understood. @param spanId of the call. */
  notUnderstood(spanId: string): void {
    this.calls++;
    const now = this.tick();
    if (now < this.silentUntil) return;
    this.logger.warn(
      { calls: this.calls, span_id: spanId },
      'X-Spandrel-Capture was not understood and counts as Off: it must be Full, Preview(N) or Off',
    );
    this.silentUntil = now + PAUSE_MS;
    this.calls = 0;
  }
}
