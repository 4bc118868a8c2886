import type { IncomingMessage } from 'node:http';
import { newId, type Clock, type LoadedMasker, type Logger, type PluginEntry } from '@spandrel/kernel';
import { FailedTexts } from '@spandrel/masking/engine';
import type { RequestHead } from '@spandrel/plugin-api';
import type { CallerKey } from '../access/caller-key.js';
import type { GatewaySettings } from '../gateway.settings.js';
import { MaskingClient, RecordingRules } from '../masking/recording-rules.js';
import type { GatewayMetrics } from '../metrics.js';
import type { RecordingSpool } from '../spool/recording-spool.js';
import { REALTIME, RESPONSES, type Target } from '../target/resolve-target.js';
import { RecordedLive, type LiveConversation } from '../forward/recorded-live.js';
import { RecordedRealtime } from '../forward/recorded-realtime.js';
import { RecordedWebSocket, type WebSocketCalls, type WebSocketRecorder } from '../forward/recorded-websocket.js';
import { BeginCall, type AskingRequest } from './begin-call.js';
import { responseKey, type BackgroundResponses } from './background-responses.js';
import type { AnswerFacts, Outcome, WithheldReason } from './call-facts.js';
import { CallReader } from './call-reader.js';
import type { Call } from './call.js';
import { Recorder } from './recorder.js';

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
 * The recording of calls: {@link BeginCall} makes a {@link Call}, which takes down what passes; {@link Recorder} has it read by
 * {@link CallReader} when it is over, masked by its project's {@link RecordingRules}, and hands it to the spool.
 */
export class CallRecording {
  readonly rules: RecordingRules;
  private readonly maskingClient: MaskingClient;
  private readonly beginCall: BeginCall;
  private readonly reader: CallReader;
  private readonly recorder: Recorder;
  /** Sessions of Gemini's Live API that may be resumed, the oldest first. */
  private readonly sessions = new Map<string, ResumableSession>();

  constructor(settings: GatewaySettings, parts: CallRecordingParts) {
    const { maskers, plugins, logger, clock, metrics, spool, responses } = parts;
    const failed = new FailedTexts(logger, (masker) => metrics.failedTexts.inc({ masker }));
    const onMaskerFailed = (masker: string): void => failed.note(masker);
    this.maskingClient = new MaskingClient(settings.apiUrl, settings.apiKey, settings.keyCheckMs);
    this.rules = new RecordingRules(this.maskingClient, maskers, onMaskerFailed);
    const { rules } = this;
    this.beginCall = new BeginCall({ settings, clock, logger, isKept: spool.isOnDisk, rules });
    const { readHereBytes: hereBytesMax, readMs, reportRunningMs, recordBytes, spoolItems } = settings;
    this.reader = new CallReader({ plugins, logger, onMaskerFailed }, { hereBytesMax, readMs });
    const keepMs = spool.isOnDisk ? Math.min(KEEP_MS, reportRunningMs) : reportRunningMs;
    const options = { reportRunningMs, keepMs, decodedBytesMax: recordBytes, awaitingRulesMax: spoolItems };
    const observer = {
      onFailed: (call: Call) => spool.lose(call.facts.id, 'failed'),
      onWithheld: (reason: WithheldReason) => metrics.contentWithheld(reason),
    };
    this.recorder = new Recorder(spool, logger, options, rules, this.reader, observer, responses, clock);
    rules.onKnown(() => this.recorder.lookAgain());
  }

  /** A request goes on. @returns its call; `null` when its endpoint is not recorded. */
  begin(req: IncomingMessage, head: RequestHead, target: Target, caller: CallerKey | null): Call | null {
    const { endpoint, asked } = target;
    if (endpoint === undefined && asked === undefined) return null;
    const call = asked
      ? this.beginCall.asking(req, head, target, asked, caller)
      : this.beginCall.execute(req, head, { ...target, endpoint: endpoint! }, caller);
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
      buffer: () => this.beginCall.buffer(),
      begin: (request) => {
        const call = this.beginCall.execute(asked, head, { ...target, endpoint }, caller, request);
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
}
