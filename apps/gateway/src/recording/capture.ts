import { parseCapture, type CaptureSetting } from './capture-setting.js';
import { mapTexts } from './map-texts.js';

/**
 * What is recorded of a call: the gateway's setting, or what the call's own header asks for when that is less
 * (docs/spec/gateway.md#capture-modes).
 * @param header value of `X-Spandrel-Capture`: `full`, `preview(N)` or `off`; anything else is ignored.
 */
export function captureOf(setting: CaptureSetting, header: string | undefined): CaptureSetting {
  if (header === undefined) return setting;
  const asked = parseCapture(header.trim());
  return asked !== undefined && rank(asked) < rank(setting) ? asked : setting;
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
