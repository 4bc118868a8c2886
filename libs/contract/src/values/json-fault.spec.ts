import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeJsonFault } from './json-fault.js';

const at = (place: string, message: string): string => `not valid JSON at ${place}: ${message}`;

describe('describeJsonFault', () => {
  it.each([
    ['{"name": }', 'character 10', 'expected a value after ":", found "}"'],
    ['{"name": "x" "tags": []}', 'character 14', 'expected "," or "}" after the member, found a double quote'],
    [
      '{"name": "x",}',
      'character 14',
      'expected a member name in double quotes, found "}" (a comma may not be the last)',
    ],
    ['[1, 2, ]', 'character 8', 'expected a value, found "]" (a comma may not be the last)'],
    ['{name: "x"}', 'character 2', 'expected a member name in double quotes, found a word without quotes'],
    ["{'name': 1}", 'character 2', `expected a member name in double quotes, found "'" (JSON has double quotes alone)`],
    [
      '{"score": NaN}',
      'character 11',
      'expected a value after ":", found NaN (JSON has true, false, null and finite numbers)',
    ],
    [
      '{"ok": True}',
      'character 8',
      'expected a value after ":", found True (JSON has true, false, null and finite numbers)',
    ],
    ['{"name" 1}', 'character 9', 'expected ":" after the member name, found a digit'],
    ['{"a": 1', 'character 8', 'expected "," or "}" after the member, found the end'],
    ['{', 'character 2', 'expected a member name in double quotes, found the end'],
    ['', 'character 1', 'expected a value, found the end'],
    ['{} {}', 'character 4', 'expected the end after the value, found "{"'],
    ['"abc', 'character 5', 'expected a double quote at the end of the text, found the end'],
    [
      '"a\tb"',
      'character 3',
      'expected no control character within a text (a line break is written \\n), found the character U+0009',
    ],
    [
      '"\\x41"',
      'character 3',
      'expected one of " \\ / b f n r t or u with four hexadecimal digits after the backslash, found a word without quotes',
    ],
    ['[1.]', 'character 4', 'expected a digit, found "]"'],
    ['[01]', 'character 3', 'expected "," or "]" after the item, found a digit'],
    [
      '\ufeff{}',
      'character 1',
      'expected a value, found the character U+FEFF (a byte order mark, which JSON does not have)',
    ],
    ['{"a": 1} // note', 'character 10', 'expected the end after the value, found "/" (JSON has no comments)'],
    ['{\n  "a": 1,\n  "b" 2\n}\n', 'line 3, column 7', 'expected ":" after the member name, found a digit'],
  ])('of %j', (text, place, message) => {
    expect(describeJsonFault(text)).toBe(at(place, message));
  });

  it('finds a fault in every text that is no JSON, and repeats no word of it', () => {
    const token = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      'secret',
      '\\',
      '1',
      '-',
      '.',
      'e',
      'true',
      '\n',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
        const text = tokens.join('');
        const refused = ((): boolean => {
          try {
            JSON.parse(text);
            return false;
          } catch {
            return true;
          }
        })();
        expect(describeJsonFault(text)).toMatch(
          refused ? /^not valid JSON at .*: expected .*, found / : /^not valid JSON$/,
        );
        expect(describeJsonFault(text)).not.toContain('secret');
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives up on long texts', () => {
    expect(describeJsonFault(`"${'x'.repeat(1_000_000)}`)).toBe('not valid JSON somewhere after character 250000');
    expect(describeJsonFault(`{"a" "${'x'.repeat(2_000_000)}"}`)).toContain(
      'not valid JSON at character 6: expected ":"',
    );
  });
});
