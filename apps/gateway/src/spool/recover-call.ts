import { CallerKey } from '../access/caller-key.js';
import type { KeySeal } from '../access/key-seal.js';
import type { AnswerFacts, CallFacts, CallRecord, Outcome, Wire } from '../recording/call-facts.js';
import { NO_BODY, type Piece, type TapedBody } from '../recording/body-tape.js';
import type { RecordedSpan } from '../recording/build-recording.js';
import { codingsOf } from '../recording/decode-body.js';
import type { FinalRecording } from '../recording/finalise.js';
import { recordCall } from '../recording/record-call.js';
import { Secrets } from '../recording/secrets.js';
import { decodeTaped } from '../recording/recorder.js';
import type { ProviderTable } from '../target/provider-table.js';
import { FrameType, type Frame } from './journal-frames.js';
import { SpoolItem } from './spool-item.js';

/** What a call's journal tells. */
interface Journalled {
  facts: CallFacts | null;
  request: Piece[];
  answer: AnswerFacts | null;
  response: Piece[];
  running: [trace: string, span: string] | null;
  end: { outcome: Outcome; tick: number } | null;
  finished: [trace: string, span: string] | null;
  lastTick: number;
}

type ReadRecord = (
  record: CallRecord,
  caller: CallerKey | null,
  running: string | null,
) => Promise<FinalRecording> | FinalRecording;

/**
 * The recording of a call whose gateway was killed, from the frames of its journal: the same as it would have been,
 * or failed with `gateway stopped` where the call had not come to its end.
 * @param bytesMax the most of a body that is kept decoded.
 * @param seal opens callers' keys; a key it cannot open leaves the recording without one.
 * @param read makes the recording of what the journal tells, given the span as it was announced while the call ran.
 * @returns `no-facts` when the journal breaks off before it tells anything, `no-provider` when only a plugin that is not
 * loaded could read it.
 */
export async function recoverCall(
  frames: readonly Frame[],
  providers: ProviderTable,
  bytesMax: number,
  seal: KeySeal | null = null,
  read: ReadRecord = (record, _caller, running) => recordCall(record, null, new Secrets([]), running),
): Promise<SpoolItem | 'no-facts' | 'no-provider'> {
  const journal = readJournal(frames);
  const { facts } = journal;
  if (facts === null) return 'no-facts';
  const caller = callerOf(facts, seal);
  if (journal.finished) return new SpoolItem(caller, facts.id, journal.finished[0], journal.finished[1], true);
  const wire = wireOf(facts, providers);
  if (wire === null) {
    const { running } = journal;
    return running ? new SpoolItem(caller, facts.id, running[0], stoppedSpan(running[1]), true) : 'no-provider';
  }
  const request = await decodeTaped(taped(journal.request), codingsOf(facts.requestEncoding), bytesMax);
  const response = await decodeTaped(taped(journal.response), codingsOf(journal.answer?.contentEncoding), bytesMax);
  const outcome = journal.end?.outcome ?? { kind: 'stopped' as const };
  const endedTick = journal.end?.tick ?? journal.lastTick;
  const record = { facts, wire, request, answer: journal.answer, response, outcome, endedTick };
  const { trace, span } = await read(record, caller, journal.running?.[1] ?? null);
  return new SpoolItem(caller, facts.id, journal.running?.[0] ?? trace, span, true);
}

function callerOf({ caller }: CallFacts, seal: KeySeal | null): CallerKey | null {
  if (caller === undefined) return null;
  return seal?.open(caller) ?? new CallerKey(caller.digest, null);
}

function readJournal(frames: readonly Frame[]): Journalled {
  const journal: Journalled = {
    facts: null,
    request: [],
    answer: null,
    response: [],
    running: null,
    end: null,
    finished: null,
    lastTick: 0,
  };
  for (const { type, payload } of frames) readFrame(journal, type, payload);
  journal.lastTick = Math.max(journal.lastTick, journal.facts?.startedTick ?? 0);
  return journal;
}

function readFrame(journal: Journalled, type: FrameType, payload: Buffer): void {
  switch (type) {
    case FrameType.Facts:
      journal.facts = json(payload);
      break;
    case FrameType.RequestChunk:
      journal.request.push({ data: payload, at: 0 });
      break;
    case FrameType.Running:
      journal.running = recordingOf(payload);
      break;
    case FrameType.AnswerHead:
      journal.answer = json(payload);
      break;
    case FrameType.AnswerChunk:
      journal.lastTick = payload.readDoubleLE(0);
      journal.response.push({ data: payload.subarray(8), at: journal.lastTick });
      break;
    case FrameType.End:
      journal.end = json(payload);
      break;
    case FrameType.Finished:
      journal.finished = recordingOf(payload);
      break;
    default:
  }
}

function wireOf(facts: CallFacts, providers: ProviderTable): Wire | null {
  const entry = providers.byName(facts.wire.provider);
  const endpoint =
    entry && providers.endpoint(entry, { method: facts.wire.method, path: facts.wire.path, headers: {} });
  return endpoint ? { entry, endpoint } : null;
}

function stoppedSpan(running: string): string {
  const span = JSON.parse(running) as RecordedSpan;
  return JSON.stringify({ ...span, status: { failed: { error: 'gateway stopped' } }, ended_at: span.started_at });
}

function taped(pieces: Piece[]): TapedBody {
  return pieces.length === 0
    ? NO_BODY
    : { pieces, tail: [], bytes: pieces.reduce((sum, { data }) => sum + data.length, 0) };
}

/** A line each for trace and span. */
function recordingOf(payload: Buffer): [trace: string, span: string] {
  const end = payload.indexOf(LINE_END);
  return [payload.toString('utf8', 0, end), payload.toString('utf8', end + 1)];
}

const LINE_END = 0x0a;

const json = <T>(payload: Buffer): T => JSON.parse(payload.toString('utf8')) as T;
