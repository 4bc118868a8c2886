import { describe, it } from '@jest/globals';
import { describeMaskerContract } from '@spandrel/plugin-api/testing';
import pattern from './index.js';

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
