import { parseCapture, type CaptureSetting } from './capture-setting.js';
import { mapTexts } from './map-texts.js';

/** How much of one call is recorded. */
export interface CallCapture {
  capture: CaptureSetting;
  /** What the header said when it was not understood, its beginning; left out when it was. */
  notUnderstood?: string;
}

/** The most code points that are kept of a header that was not understood. */
const NOT_UNDERSTOOD_CHARS_MAX = 64;

/**
 * How much is recorded of a call: the gateway's setting, or what the call's own header asks for when that is less. A
 * header that is not understood asks for nothing to be recorded: somebody wanted less than all
 * (docs/spec/gateway.md#capture-modes).
 * @param header value of `X-Spandrel-Capture`; one that was sent more than once has its values joined by commas.
 */
export function captureOf(setting: CaptureSetting, header: string | undefined): CallCapture {
  if (header === undefined) return { capture: setting };
  let capture = setting;
  for (const value of header.split(',')) {
    const asked = parseCapture(value);
    if (asked === undefined) return { capture: { mode: 'off' }, notUnderstood: clip(header, NOT_UNDERSTOOD_CHARS_MAX) };
    if (rank(asked) < rank(capture)) capture = asked;
  }
  return { capture };
}

function rank(capture: CaptureSetting): number {
  if (capture.mode === 'preview') return capture.chars;
  return capture.mode === 'off' ? -1 : Infinity;
}

/** Input, output or another recorded value as the capture mode lets it through; `undefined` leaves it out. */
export function captured(value: unknown, capture: CaptureSetting): unknown {
  if (capture.mode === 'full') return value;
  if (capture.mode === 'off') return undefined;
  return mapTexts(value, (text, member) => (isLabel(text, member) ? text : clip(text, capture.chars)));
}

/** Words that say what a part is, not what anyone said: a preview keeps them whole. */
const isLabel = (text: string, member: string | undefined): boolean =>
  (member === 'role' || member === 'type' || member === 'finish_reason') && /^[a-z_]{1,32}$/i.test(text);

/** A request's parameters. In `off` only its own numbers and booleans stay: any text or object may be content. */
export function capturedParameters(parameters: Record<string, unknown>, capture: CaptureSetting): unknown {
  if (capture.mode !== 'off') return captured(parameters, capture);
  return Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => typeof value === 'number' || typeof value === 'boolean'),
  );
}

/**
 * The upstream's own words in an error; they may repeat what was asked.
 * @returns `undefined` where none may be kept.
 */
export function capturedMessage(message: string | undefined, capture: CaptureSetting): string | undefined {
  if (message === undefined || capture.mode === 'off') return undefined;
  return capture.mode === 'preview' ? clip(message, capture.chars) : message;
}

/** The first code points of a text. */
export function clip(text: string, codePoints: number): string {
  if (text.length <= codePoints) return text;
  let end = 0;
  for (let count = 0; count < codePoints && end < text.length; count++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
