import { describe, expect, it } from '@jest/globals';
import { spanText } from './span-document.js';

const text = (name: string, input?: unknown, output?: unknown) =>
  spanText({
    name,
    input: input === undefined ? null : JSON.stringify(input),
    output: output === undefined ? null : JSON.stringify(output),
  });

describe('spanText', () => {
  it('has the name and every value, as it reads and not as JSON writes it, but no member names', () => {
    const input = { messages: [{ role: 'user', content: 'line\n"two" \u00fc \\' }], n: 12.5, on: true, none: null };
    expect(text('step', input, ['out']).text).toBe('step\nuser\nline\n"two" ü \\\n12.5\ntrue\nout');
    expect(text('', undefined, 'out').text).toBe('out');
  });

  it('keeps numbers to the last digit', () => {
    expect(spanText({ name: 'n', input: '[12345678901234567890123]', output: null }).text).toBe(
      'n\n12345678901234567890123',
    );
  });

  it('is bounded, with a part of input and output each, and cuts no character in two', () => {
    const { text: whole, embedded } = text('name', '🙂'.repeat(50_000), 'o'.repeat(50_000));
    expect(whole.length).toBeLessThanOrEqual(20_003);
    expect(embedded.length).toBeLessThanOrEqual(4_003);
    for (const some of [whole, embedded]) {
      expect(some.isWellFormed()).toBe(true);
      expect(some).toMatch(/^name\n(🙂)+\no+$/u);
    }
    expect(text('n', 'i', 'o'.repeat(30_000)).text.length).toBeGreaterThan(19_000);
    expect(text('n', 'i'.repeat(30_000), 'o').text.length).toBeGreaterThan(19_000);
  });

  it('holds nothing that an index could not take', () => {
    expect(text('n', 'a\u0000b\ud800c').text).toBe('n\na b\ufffdc');
  });
});
