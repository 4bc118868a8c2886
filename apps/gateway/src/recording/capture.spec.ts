import { describe, expect, it } from '@jest/globals';
import {
  captured,
  capturedMessage,
  capturedParameters,
  captureOf,
  clip,
  captureText,
  parseCapture,
} from './capture.js';

const full = { mode: 'full' } as const;
const off = { mode: 'off' } as const;
const preview = (chars: number) => ({ mode: 'preview', chars }) as const;

describe('captureOf', () => {
  it.each([
    [full, undefined, full],
    [full, 'off', off],
    [full, ' PREVIEW( 5 ) ', preview(5)],
    [preview(10), 'full', preview(10)],
    [preview(10), 'preview(20)', preview(10)],
    [preview(10), 'preview(2)', preview(2)],
    [off, 'full', off],
    [off, 'preview(1)', off],
    [full, ' Preview ( 5 ) ', preview(5)],
    [full, 'FULL', full],
    [full, 'Preview(10), off', off],
    [full, 'preview(10), Preview(2), full', preview(2)],
  ])('%j asked %j', (setting, header, expected) => {
    expect(captureOf(setting, header)).toEqual({ capture: expected });
  });

  it.each([
    'Preview',
    'Preview()',
    'Preview(ten)',
    'preview(-1)',
    'Preview(1.5)',
    'Preview(1,000)',
    'Preview 10',
    'Preview:10',
    'Preview[10]',
    '10',
    'none',
    'false',
    'disabled',
    '',
    'off,',
    'full, nonsense',
    '“off”',
  ])('counts %j, which it does not understand, as off', (header) => {
    for (const setting of [full, preview(10), off]) {
      expect(captureOf(setting, header)).toEqual({ capture: off, notUnderstood: header });
    }
  });

  it('keeps the beginning of what it does not understand', () => {
    expect(captureOf(full, '😀'.repeat(100)).notUnderstood).toBe('😀'.repeat(64));
  });
});

describe('what is let through', () => {
  it('in a preview is the first code points of every text, however deep', () => {
    const big = JSON.rawJSON('12345678901234567890');
    const value = JSON.parse('{"a":["😀😀😀",{"__proto__":"long text"}],"n":12}') as Record<string, unknown>;
    expect(JSON.stringify(captured({ ...value, big }, preview(2)))).toBe(
      '{"a":["😀😀",{"__proto__":"lo"}],"n":12,"big":12345678901234567890}',
    );
  });

  it('in a preview keeps the words that say what a part is', () => {
    const said = [{ role: 'assistant', content: [{ type: 'output_text', text: 'long text' }] }];
    expect(captured(said, preview(3))).toEqual([
      { role: 'assistant', content: [{ type: 'output_text', text: 'lon' }] },
    ]);
    const output = { text: 'long text', finish_reason: 'tool_calls', role: 'not a role but a text' };
    expect(captured(output, preview(3))).toEqual({ text: 'lon', finish_reason: 'tool_calls', role: 'not' });
  });

  it('when off is no text at all', () => {
    expect(captured('text', off)).toBeUndefined();
    expect(capturedMessage('no such model: my secret', off)).toBeUndefined();
    expect(
      capturedParameters({ temperature: 0.5, stream: true, user: 'me', tools: [{ name: 'x' }], seed: null }, off),
    ).toEqual({ temperature: 0.5, stream: true });
  });

  it('never cuts a code point', () => {
    expect(clip('a😀b', 2)).toBe('a😀');
    expect(clip('abc', 0)).toBe('');
  });
});

it('a mode is shown as users write it', () => {
  for (const text of ['Full', 'Off', 'Preview(120)']) expect(captureText(parseCapture(text)!)).toBe(text);
  expect(captureText(parseCapture(' preview ( 7 ) ')!)).toBe('Preview(7)');
});
