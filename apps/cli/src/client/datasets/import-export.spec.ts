import { expect, it } from '@jest/globals';
import { formatOf } from './import-export.js';

it('the format is what was said, else what the name says, else that of exports', () => {
  expect([
    formatOf('a.csv', undefined),
    formatOf('A.NDJSON', undefined),
    formatOf('a.b/c.json', undefined),
    formatOf('a.csv', 'json'),
    formatOf('-', undefined),
    formatOf('-', 'csv'),
  ]).toEqual(['csv', 'jsonl', 'json', 'json', 'jsonl', 'csv']);
  expect(() => formatOf('data.txt', undefined)).toThrow(/--format jsonl, json, csv/);
});
