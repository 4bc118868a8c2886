import { fitSpan, SPAN_CHARS_MAX } from '../spool/reduce-item.js';
import type { Recording } from './build-recording.js';
import { redactJson } from './redact.js';

/** A recording as JSON, fit to be sent. */
export interface FinalRecording {
  trace: string;
  span: string;
}

/**
 * Turns a recording into the JSON that is sent: without the call's credentials, within the size the API takes.
 * A value that is no JSON (a plugin's doing) costs the recording its content.
 */
export function finalise({ trace, span }: Recording, secrets: readonly string[]): FinalRecording {
  let json: string;
  try {
    json = fitSpan(span, JSON.stringify(span), SPAN_CHARS_MAX);
  } catch {
    const { request: _request, ...metadata } = span.metadata;
    json = JSON.stringify({ ...span, input: null, output: null, metadata: { ...metadata, truncated: true } });
  }
  return { trace: redactJson(JSON.stringify(trace), secrets), span: redactJson(json, secrets) };
}
