import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shownText } from './text-masker.js';

/** Where something is written that is shown. */
function written(text: string, shown: string): string | undefined {
  const view = shownText(text);
  const at = (view?.text ?? text).indexOf(shown);
  if (at === -1) return undefined;
  const { start, end } = view?.placeOf(at, at + shown.length) ?? { start: at, end: at + shown.length };
  return text.slice(start, end);
}

describe('shownText', () => {
  it('is nothing for a text that is shown as it is written', () => {
    for (const text of ['', 'plain "text"', 'C:\\Users', 'größer 💡']) expect(shownText(text)).toBeUndefined();
  });

  it('undoes escapes of JSON, also those of JSON within JSON', () => {
    expect(written('a\\nb@c.de\\t', '\nb@c.de')).toBe('\\nb@c.de');
    expect(written('\\u002B49 30', '+49 30')).toBe('\\u002B49 30');
    const nested = JSON.stringify(JSON.stringify({ text: 'x\n"4111" y' }));
    expect(shownText(nested)!.text).toContain('x\n"4111" y');
    expect(written(nested, '4111')).toBe('4111');
  });

  it('shows unusual blanks, hyphens, digits and letters as usual ones, and no characters without width', () => {
    expect(written('(4111\u00a01111\u20111111\u202f1111)', '4111 1111-1111 1111')).toBe(
      '4111\u00a01111\u20111111\u202f1111',
    );
    expect(written('x４１１１＠', '4111@')).toBe('４１１１＠');
    expect(written('ab\u200bcd\u00adef', 'bcde')).toBe('b\u200bcd\u00ade');
    expect(written('\u200bcd', 'cd')).toBe('cd');
  });

  it('finds each character where it is written', () => {
    const pieces = fc.array(fc.constantFrom('a', '\\n', '\\\\', '\\u0040', '\u00ad', '\u3000', '🌊', '"', 'x1'), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = `${parts.join('')}4111${parts.toReversed().join('')}`;
        expect(written(text, '4111')).toBe('4111');
      }),
    );
  });
});
