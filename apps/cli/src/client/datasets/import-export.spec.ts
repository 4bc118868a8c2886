import { expect, it } from '@jest/globals';
import { chooseFormat } from './import-export.js';

it('the format is what was said, else what the name says, else that of exports', () => {
  expect([
    chooseFormat('a.csv', undefined),
    chooseFormat('A.NDJSON', undefined),
    chooseFormat('a.b/c.json', undefined),
    chooseFormat('a.csv', 'json'),
    chooseFormat('-', undefined),
    chooseFormat('-', 'csv'),
  ]).toEqual(['csv', 'jsonl', 'json', 'json', 'jsonl', 'csv']);
  expect(() => chooseFormat('data.txt', undefined)).toThrow(/--format jsonl, json, csv/);
});
