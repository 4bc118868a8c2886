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
