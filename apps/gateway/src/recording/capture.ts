/** How much of a call is recorded (docs/spec/gateway.md#capture-modes). */
export type CaptureSetting = { mode: 'full' } | { mode: 'preview'; chars: number } | { mode: 'off' };

/**
 * Reads a capture mode: `Full`, `Off` or `Preview(N)`, whatever the case and with blanks anywhere between its parts.
 * @returns `undefined` for anything else.
 */
export function parseCapture(text: string): CaptureSetting | undefined {
  const match = /^\s*(?:(off)|(full)|preview\s*\(\s*(\d{1,9})\s*\))\s*$/i.exec(text);
  if (!match) return undefined;
  if (match[1]) return { mode: 'off' };
  return match[2] ? { mode: 'full' } : { mode: 'preview', chars: Number(match[3]) };
}

/** @returns the mode as users write it. */
export function captureText(capture: CaptureSetting): string {
  if (capture.mode === 'preview') return `Preview(${capture.chars})`;
  return capture.mode === 'full' ? 'Full' : 'Off';
}

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
    capture = lesserCapture(capture, asked);
  }
  return { capture };
}

/** The one of two modes that records less. */
export const lesserCapture = (a: CaptureSetting, b: CaptureSetting): CaptureSetting => (rank(b) < rank(a) ? b : a);

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

/**
 * A copy of a JSON value with every text replaced; names of members stay, own `__proto__` members survive.
 * @param map gets the text and the name of the member it is the value of, if it is one.
 */
function mapTexts(value: unknown, map: (text: string, member?: string) => string, member?: string): unknown {
  if (typeof value === 'string') return map(value, member);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, map, name)]));
}
