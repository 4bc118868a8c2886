import type { Masking } from '@spandrel/masking/engine';
import { buildRecording, type RecordedSpan } from './build-recording.js';
import type { CallRecord } from './call-facts.js';
import { finalise, type FinalRecording } from './finalise.js';
import type { Secrets } from './secrets.js';

/**
 * The recording of a call as it is sent: a pure function of what went by, in this thread or another.
 * @param masking the rules of the call's project; `null` where it has none.
 * @param running the span as it was announced by a gateway that was killed since, whose journal may have no content.
 */
export function recordCall(
  record: CallRecord,
  masking: Masking | null,
  secrets: Secrets,
  running: string | null = null,
): FinalRecording {
  const recording = buildRecording(record, masking);
  if (running !== null) adopt(recording.span, JSON.parse(running) as RecordedSpan);
  return finalise(recording, secrets);
}

/** What was announced while the call ran is known better than what a journal without content tells. */
function adopt(span: RecordedSpan, running: RecordedSpan): void {
  span.name = running.name;
  span.kind = { ...span.kind, model: running.kind['model'] };
  if (running.input !== undefined) span.input = running.input;
  span.metadata = { ...span.metadata, request: running.metadata['request'], streaming: running.metadata['streaming'] };
}
