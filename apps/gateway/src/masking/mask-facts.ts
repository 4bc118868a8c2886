import { maskTrace, type Masking } from '@spandrel/masking/engine';
import type { CallFacts } from '../recording/call-facts.js';

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

/** What is known of a call without what was said in it and what its headers say (docs/spec/masking.md#at-the-gateway). */
export function withoutContent(facts: CallFacts): CallFacts {
  const { captureNotUnderstood: _capture, unknownHeaders: _headers, doubledPath: _path, ...others } = facts;
  return { ...others, trace: {}, capture: { mode: 'off' } };
}
