import { codeFile, inTurns, TaskFailure, TaskPool, type Logger, type PluginEntry } from '@spandrel/kernel';
import { MASKED_FIELDS, type RecordingMasking } from '@spandrel/contract';
import type { Masking } from '@spandrel/masking/engine';
import type * as ReadCallThread from './read-call.thread.js';
import { withoutContent } from '../masking/recording-rules.js';
import { NO_BODY, type Piece, type BufferedBody } from './body-buffer.js';
import type { CallRecord, WithheldReason } from './call-facts.js';
import { buildFinal, ruled, type CallToRead, type FinalRecording } from './build-recording.js';
import { packBody, type PackedCall, type ReadCall } from './packed-call.js';
import type { Secrets } from './secrets.js';

/** A recording, and why what was said is not in it. */
export interface CallReading extends FinalRecording {
  withheld?: WithheldReason;
}

export interface CallReaderOptions {
  /** Calls whose bodies have at most so many bytes together are read at once. */
  hereBytesMax: number;
  /** How long a thread may read one call, in milliseconds. */
  readMs: number;
  /** How many calls are read at a time, and how many more may wait. */
  threadsMax?: number;
  queueMax?: number;
}

export interface CallReaderParts {
  /** What the threads load; `null`: all calls are read at once. */
  plugins: readonly PluginEntry[] | null;
  logger: Logger;
  onMaskerFailed: (masker: string) => void;
}

/** Masking takes several times as long as reading: the longer, the more steps the rules take for a character. */
const maskedPart = (steps: number): number => Math.min(1 / 4, 1.5 / steps);

/** So many pieces take longer to read than their bytes. */
const PIECES_MAX = 10_000;

/** The part of the queue that one caller's calls may take. */
const CALLER_PART = 0.5;

/** How much of the beginning and the end of a body is searched for model and tokens where it is not read whole. */
const END_BYTES = 16 * 1024;

const HEAP_MB = 512;
const IDLE_MS = 60_000;
/** The least time between two lines of the log, in milliseconds. */
const PAUSE_MS = 60_000;

/**
 * Reads long calls in threads with a deadline, so that nobody's call waits for them (short ones: {@link recordCall}); one that
 * cannot be read there is recorded without what was said in it (docs/adr/0055-long-calls-are-read-in-threads.md).
 */
export class CallReader {
  private readonly pool: TaskPool<typeof ReadCallThread> | null;
  private readonly options: Required<CallReaderOptions>;
  /** Calls in the pool by caller. */
  private readonly callers = new Map<string, number>();
  private silentUntil = -Infinity;

  constructor(
    private readonly parts: CallReaderParts,
    options: CallReaderOptions,
  ) {
    this.options = { threadsMax: 2, queueMax: 32, ...options };
    const { threadsMax, queueMax } = this.options;
    this.pool =
      parts.plugins &&
      new TaskPool({
        file: codeFile('apps/gateway/src/recording/read-call.thread.ts'),
        data: { plugins: parts.plugins },
        heapMb: HEAP_MB,
        idleMs: IDLE_MS,
        threadsMax,
        queueMax,
      });
  }

  /** Whether {@link readAside} is the way to read a call. */
  isLong({ record: { request, response }, rule }: CallToRead): boolean {
    if (this.pool === null) return false;
    const { hereBytesMax } = this.options;
    const masking = rule.kind === 'known' ? rule.masking : null;
    const bytesMax = masking ? hereBytesMax * maskedPart(stepsOf(masking)) : hereBytesMax;
    return request.bytes + response.bytes > bytesMax || request.pieces.length + response.pieces.length > PIECES_MAX;
  }

  /** Reads a call in a thread. Its bodies may let go of their lists once this has returned. */
  async readAside(call: CallToRead): Promise<CallReading> {
    const ends = { request: endsOf(call.record.request), response: endsOf(call.record.response) };
    try {
      const { failedMaskers, ...recording } = await this.readInThread(call);
      failedMaskers.forEach((masker) => this.parts.onMaskerFailed(masker));
      return recording;
    } catch (error) {
      const { reason } = error as TaskFailure;
      const withheld = REASONS[reason] ?? 'failed';
      this.say(withheld, error);
      // A thread has come to grief over these bodies.
      const kept = withheld === 'busy' || withheld === 'stopped' ? ends : { request: LOST_BODY, response: LOST_BODY };
      return readWithheld(call, kept, withheld);
    }
  }

  /** The recording of a call that nobody has begun to read, as it is where the gateway ends before that. */
  readUnread(call: CallToRead): CallReading {
    const { request, response } = call.record;
    return readWithheld(call, { request: endsOf(request), response: endsOf(response) }, 'stopped');
  }

  /** Ends the threads: what is not read by now is recorded without what was said. */
  async close(): Promise<void> {
    await this.pool?.close();
  }

  private async readInThread({ record, rule, secrets, caller }: CallToRead): Promise<ReadCall> {
    const { readMs, threadsMax, queueMax } = this.options;
    if (this.pool!.size >= threadsMax + queueMax) throw new TaskFailure('full', 'many calls wait to be read');
    const name = caller?.digest ?? '';
    const before = this.callers.get(name) ?? 0;
    if (caller !== null && before >= queueMax * CALLER_PART)
      throw new TaskFailure('full', 'one caller has many calls read');
    this.callers.set(name, before + 1);
    try {
      const packed = await packCall(ruled(record, rule), sourceOf(rule), secrets);
      const { request, response } = packed;
      const transfer = [request, response].flatMap(({ data, pieces }) => [data.buffer, pieces.buffer]);
      return await this.pool!.run('readCall', packed, { deadlineMs: readMs, transfer });
    } finally {
      const left = this.callers.get(name)! - 1;
      if (left === 0) this.callers.delete(name);
      else this.callers.set(name, left);
    }
  }

  /** Errors of a thread may repeat what they failed at, so that only their names are logged. */
  private say(reason: WithheldReason, error: unknown): void {
    const now = performance.now();
    if (reason === 'stopped' || now < this.silentUntil) return;
    this.silentUntil = now + PAUSE_MS;
    const { name: cause } = ((error as Error).cause ?? error) as Error;
    this.parts.logger.warn(
      { reason, cause },
      'what was said in a long call is not recorded: it could not be read in time',
    );
  }
}

/** A body of which nobody knows how it ended. */
const LOST_BODY: BufferedBody = Object.freeze({ ...NO_BODY, gap: 'unknown' });

function readWithheld(
  { record, secrets }: CallToRead,
  bodies: Pick<CallRecord, 'request' | 'response'>,
  withheld: WithheldReason,
): CallReading {
  const facts = { ...withoutContent(record.facts), withheld };
  return { ...buildFinal({ ...record, ...bodies, facts }, null, secrets), withheld };
}

const REASONS: Readonly<Record<string, WithheldReason>> = {
  deadline: 'deadline',
  full: 'busy',
  closed: 'stopped',
  failed: 'failed',
};

/** Steps that rules take for a character, for the field that has most. */
const stepsOf = (masking: Masking): number => Math.max(...MASKED_FIELDS.map((field) => masking.of(field)?.work ?? 0));

const sourceOf = (rule: CallToRead['rule']): RecordingMasking | null =>
  rule.kind === 'known' && rule.masking !== null ? rule.source : null;

async function packCall(
  { facts, wire, request, answer, response, outcome, endedTick }: CallRecord,
  rules: RecordingMasking | null,
  secrets: Secrets,
): Promise<PackedCall> {
  const [packedRequest, packedResponse] = await Promise.all([inTurns(packBody(request)), inTurns(packBody(response))]);
  return {
    facts,
    endpoint: wire.endpoint.name,
    request: packedRequest,
    answer,
    response: packedResponse,
    outcome,
    endedTick,
    rules,
    secrets: secrets.texts,
  };
}

/** The beginning and the end of a long body, copied. */
function endsOf({ pieces, tail, gap, bytes }: BufferedBody): BufferedBody {
  const all = [...pieces, ...tail];
  const size = all.reduce((sum, { data }) => sum + data.length, 0);
  // The buffer lets go of its lists.
  if (size <= 2 * END_BYTES) return { pieces: [...pieces], tail: [...tail], gap, bytes };
  return { pieces: slicesOf(all, 0, END_BYTES), tail: slicesOf(all, size - END_BYTES, size), gap: 'unknown', bytes };
}

function slicesOf(pieces: readonly Piece[], start: number, end: number): Piece[] {
  const slices: Piece[] = [];
  let at = 0;
  for (const { data, at: time } of pieces) {
    const slice = data.subarray(Math.max(0, start - at), Math.max(0, end - at));
    if (slice.length > 0) slices.push({ data: Buffer.from(slice), at: time });
    at += data.length;
  }
  return slices;
}
