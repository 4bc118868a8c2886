import type { Masking } from '@spandrel/masking/engine';
import { buildRecording } from './build-recording.js';
import type { CallRecord } from './call-facts.js';
import { finalise, type FinalRecording } from './finalise.js';
import type { Secrets } from './secrets.js';

/**
 * The recording of a call as it is sent: a pure function of what went by, in this thread or another.
 * @param masking the rules of the call's project; `null` where it has none.
 */
export function recordCall(record: CallRecord, masking: Masking | null, secrets: Secrets): FinalRecording {
  return finalise(buildRecording(record, masking), secrets);
}
