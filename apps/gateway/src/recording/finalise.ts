import type { Recording } from './build-recording.js';
import { fitSpan, SPAN_CHARS_MAX } from './fit-span.js';
import type { Secrets } from './secrets.js';

/** A recording as JSON, fit to be sent. */
export interface FinalRecording {
  trace: string;
  span: string;
}

/**
 * Turns a recording into the JSON that is sent: without the call's credentials, within the size the API takes.
 * A value that is no JSON (a plugin's doing) costs the recording its content.
 */
export function finalise({ trace, span }: Recording, secrets: Secrets): FinalRecording {
  let json: string;
  try {
    json = JSON.stringify(span);
  } catch {
    const { request: _request, ...metadata } = span.metadata;
    json = JSON.stringify({ ...span, input: null, output: null, metadata: { ...metadata, truncated: true } });
  }
  return {
    trace: secrets.redactJson(JSON.stringify(trace)),
    span: fitSpan(secrets.redactJson(json), SPAN_CHARS_MAX),
  };
}
