import type { IncomingMessage } from 'node:http';
import { newId, type Clock, type Logger } from '@spandrel/kernel';
import type { Endpoint, RequestHead } from '@spandrel/plugin-api';
import type { CallerKey } from '../access/caller-key.js';
import type { GatewaySettings } from '../gateway.settings.js';
import { maskFacts, withoutContent, type RecordingRules } from '../masking/recording-rules.js';
import { doubledPath } from '../target/wrong-address.js';
import { RESPONSES, type AskedResponse, FORWARD_HEADER, type Target } from '../target/resolve-target.js';
import { responseKey } from './background-responses.js';
import { BodyBudget } from './long-body.js';
import { BodyBuffer } from './body-buffer.js';
import { type CallFacts, correlationOf, unknownHeaders } from './call-facts.js';
import { Call } from './call.js';
import { captureOf } from './capture.js';
import { credentialsOf } from './secrets.js';

/** What is read of a request beside its {@link RequestHead}. */
export type AskingRequest = Pick<IncomingMessage, 'headers' | 'url'>;

interface BeginCallParts {
  settings: Pick<GatewaySettings, 'capture' | 'recordBytes' | 'recordBytesTotal'>;
  clock: Clock;
  logger: Logger;
  /** Whether there is a spool directory. */
  isKept: boolean;
  rules: Pick<RecordingRules, 'of'>;
}

/** Makes the {@link Call} of a request whose endpoint is recorded: what is known of it before its body has come. */
export class BeginCall {
  private readonly budget: BodyBudget;
  private readonly warning: CaptureWarning;

  constructor(private readonly parts: BeginCallParts) {
    this.budget = new BodyBudget(parts.settings.recordBytesTotal);
    this.warning = new CaptureWarning(parts.logger);
  }

  /** Room for a body. */
  buffer(): BodyBuffer {
    return new BodyBuffer(this.parts.settings.recordBytes, this.budget);
  }

  /** @param request its body, where that has come. */
  execute(
    req: AskingRequest,
    head: RequestHead,
    target: Target & { endpoint: Endpoint },
    caller: CallerKey | null,
    request = this.buffer(),
  ): Call {
    const { isKept, rules } = this.parts;
    const secrets = credentialsOf(req.headers, req.url!);
    const rule = rules.of(caller);
    const masking = rule.kind === 'known' ? rule.masking : null;
    const read = this.factsOf(req, head, target);
    const kept: CallFacts = secrets.areTooMany ? { ...withoutContent(read), withheld: 'too_many_credentials' } : read;
    const facts = masking ? maskFacts(masking, kept) : kept;
    if (facts.captureNotUnderstood !== undefined) this.warning.notUnderstood(facts.id);
    const wire = { entry: target.wire!, endpoint: target.endpoint };
    const call = new Call(facts, wire, request, this.buffer(), secrets, caller, !isKept);
    if (target.endpoint.name === RESPONSES) call.keyOfResponse = (id) => responseKey(caller, target.base, id);
    return call;
  }

  /** The call of a request for a response that an earlier call may have begun. */
  asking(req: AskingRequest, head: RequestHead, target: Target, asked: AskedResponse, caller: CallerKey | null): Call {
    const { endpoint, method, path, id } = asked;
    const call = this.execute(req, { ...head, method, path }, { ...target, endpoint }, caller);
    call.asksFor = responseKey(caller, target.base, id);
    return call;
  }

  private factsOf(req: AskingRequest, head: RequestHead, target: Target): CallFacts {
    const { settings, clock } = this.parts;
    const mayBeDoubled = head.headers[FORWARD_HEADER] !== undefined && head.path.length <= DOUBLED_PATH_MAX;
    const doubled = mayBeDoubled ? doubledPath(target.base, head.path) : null;
    const correlation = correlationOf(req.headers);
    const unknown = unknownHeaders(req.headers);
    const { capture, notUnderstood } = captureOf(settings.capture, captureHeader(head.headers, unknown));
    return {
      id: newId(),
      traceId: correlation.traceId ?? newId(),
      parentId: correlation.parentId,
      trace: correlation.trace,
      provider: target.providerName,
      wire: { provider: target.wire!.name, method: head.method, path: head.path },
      startedAt: clock.now(),
      startedTick: performance.now(),
      ...(doubled !== null && { doubledPath: doubled }),
      capture,
      ...(notUnderstood !== undefined && { captureNotUnderstood: notUnderstood }),
      ...(Object.keys(unknown).length > 0 && { unknownHeaders: unknown }),
      requestEncoding: head.headers['content-encoding'] ?? null,
    };
  }
}

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
