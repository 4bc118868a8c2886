import { describe, expect, it } from '@jest/globals';
import { describeMaskerContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import pattern from './index.js';

describe('the size of a pattern', () => {
  const finderOf = async (given: string) =>
    (await setUpPlugin(pattern, {})).finder({ pattern: given, ignore_case: false });

  it('is limited before anything is written out, and the message names the limit', async () => {
    const before = process.threadCpuUsage().user;
    for (const text of ['(a?){1000}a{1000}', `(${'a'.repeat(900)}){1000}`, `(${'[a-z]'.repeat(190)}){999}`]) {
      await expect(finderOf(text)).rejects.toThrow(/the pattern has \d+ steps .* and may have 2000;/);
    }
    expect((process.threadCpuUsage().user - before) / 1_000).toBeLessThan(1_000);
  });

  it('is shown to those who ask how long a text may be', async () => {
    expect((await finderOf('EMP-\\d{6}')).work).toBeLessThan(20);
    expect((await finderOf('(a|b){100}c')).work).toBeGreaterThan(100);
  });

  it('is no matter for lists of words as long as a pattern may be', async () => {
    const words = Array.from({ length: 150 }, (_, index) => `name${index}`)
      .join('|')
      .slice(0, 1_000);
    expect([...(await finderOf(words)).find('name12 and name149')]).toHaveLength(2);
  });
});

describeMaskerContract(
  {
    plugin: pattern,
    configs: {
      accepted: [{}, { pattern: 'EMP-\\d{6}', ignore_case: true }],
      refused: [{ pattern: '' }, { pattern: 7 }, { expression: 'x' }],
    },
    refusedRules: [
      {},
      { pattern: '(' },
      { pattern: '(a)\\1' },
      { pattern: 'x*' },
      { pattern: '((a{1,1000}){1,1000})' },
      { pattern: '(a?){1000}a{1000}' },
      { pattern: '(a|aa|aaa){300}a{600}' },
      { pattern: '(((x{10}){10}){10}y){2}' },
      { pattern: '(?i)[a-\\x{10ffff}][b-\\x{10ffff}][c-\\x{10ffff}]' },
      { pattern: '\\pL'.repeat(333) },
    ],
    texts: [
      { text: 'EMP-123456 and emp-654321', values: ['EMP-123456'], config: { pattern: 'EMP-\\d{6}' } },
      {
        text: 'EMP-123456 and emp-654321',
        values: ['EMP-123456', 'emp-654321'],
        config: { pattern: 'EMP-\\d{6}', ignore_case: true },
      },
      { text: '\u{1F600} Straße 5 \u{1F600}', values: ['Straße 5'], config: { pattern: '\\p{L}+ \\d+' } },
      {
        text: 'zzzzzzzzzzzzzzzzzzzzzzzzzzzzzy',
        values: ['zzzzzzzzzzzzzzzzzzzzzzzzzzzzzy'],
        config: { pattern: '(z+)+y' },
      },
    ],
  },
  { describe, it },
);
