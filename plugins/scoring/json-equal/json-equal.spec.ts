import { describe, it } from '@jest/globals';
import { parseExactJson } from '@spandrel/contract';
import { describeScorerContract } from '@spandrel/plugin-api/testing';
import jsonEqual from './index.js';

/** `expected` as JSON text, which keeps every digit. */
const CASES: [output: string, expected: string, score: 0 | 1, number_tolerance?: number][] = [
  ['{"b": [1, null], "a": "x"}', '{"a":"x","b":[1,null]}', 1],
  ['{"a":1}', '{"a":1,"b":null}', 0],
  ['[2,1]', '[1,2]', 0],
  ['{"a":1.0}', '{"a":1}', 1],
  ['{"id":9007199254740993}', '{"id":9007199254740992}', 0],
  ['{"id":"9007199254740993"}', '{"id":9007199254740993}', 0],
  ['{"id":"007"}', '{"id":"7"}', 0],
  ['{"id":"007"}', '{"id":7}', 0],
  // A text that is expected, as CSV has it, is read as JSON where it is JSON.
  ['{"a": 1}', String.raw`"{\"a\":1}"`, 1],
  ['42', '"42"', 1],
  ['"Paris"', '"Paris"', 1],
  ['Paris', '"Paris"', 1],
  ['paris', '"Paris"', 0],
  ['```json\n{}\n```', '{}', 0],
  ['{"price":9.99}', '{"price":10}', 1, 0.01],
  ['{"price":9.98}', '{"price":10}', 0, 0.01],
  ['{"price":"9.99"}', '{"price":10}', 0, 0.01],
  ['[1.1,[2.05]]', '[1,[2]]', 1, 0.1],
  ['{"id":9007199254740993}', '{"id":9007199254740992}', 0, 0.5],
  ['{"id":9007199254740993}', '{"id":9007199254740992}', 1, 1],
];

describeScorerContract(
  {
    plugin: jsonEqual,
    configs: {
      accepted: [{}, { number_tolerance: 0.01 }],
      refused: [{ number_tolerance: -1 }, { number_tolerance: '1' }, { tolerance: 1 }, null],
    },
    needsExpected: true,
    samples: CASES.map(([output, expected, score, tolerance]) => ({
      name: `${JSON.stringify(output)} for ${expected} within ${tolerance}`,
      sample: {
        output,
        expected: parseExactJson(expected),
        config: tolerance === undefined ? {} : { number_tolerance: tolerance },
      },
      expected: score,
    })),
  },
  { describe, it },
);
