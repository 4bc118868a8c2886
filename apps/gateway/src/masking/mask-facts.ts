import { maskTrace, type Masking } from '@spandrel/masking/engine';
import type { CallFacts } from '../recording/call-facts.js';
import type { RecordingRule } from './recording-rules.js';

/** What is known of a call when it begins, with what its headers say masked. */
export function maskFacts(masking: Masking, facts: CallFacts): CallFacts {
  const { captureNotUnderstood, unknownHeaders, doubledPath } = facts;
  return {
    ...facts,
    trace: maskTrace(masking, facts.trace),
    ...(captureNotUnderstood !== undefined && { captureNotUnderstood: masking.text(captureNotUnderstood, 'metadata') }),
    ...(unknownHeaders !== undefined && { unknownHeaders: masking.json(unknownHeaders, 'metadata') }),
    ...(doubledPath !== undefined && { doubledPath: masking.text(doubledPath, 'error') }),
  };
}

/**
 * What of a call may be written to disk before it is over: its bytes where no rule holds for it, else what is known of it
 * without them; nothing that its headers say while the rules are not known.
 */
export function keptOnDisk(facts: CallFacts, rule: RecordingRule): { facts: CallFacts; content: boolean } {
  if (rule.kind === 'known') return { facts, content: rule.masking === null };
  const { captureNotUnderstood: _capture, unknownHeaders: _headers, doubledPath: _path, ...others } = facts;
  return { facts: { ...others, trace: {} }, content: false };
}

/** A call whose rules could not be had: what was said in it is not recorded (docs/spec/masking.md#at-the-gateway). */
export const withoutContent = (facts: CallFacts): CallFacts => ({
  ...keptOnDisk(facts, { kind: 'refused' }).facts,
  capture: { mode: 'off' },
});
