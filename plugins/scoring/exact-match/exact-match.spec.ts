import { describe, it } from '@jest/globals';
import { parseExactJson } from '@spandrel/contract';
import { describeScorerContract } from '@spandrel/plugin-api/testing';
import exactMatch from './index.js';

/** `expected` as JSON text, which keeps every digit. */
const CASES: [output: string, expected: string, score: 0 | 1][] = [
  ['Paris', '"Paris"', 1],
  ['paris', '"Paris"', 0],
  ['Paris ', '"Paris"', 0],
  ['Paris.', '"Paris"', 0],
  ['', '""', 1],
  ['"Paris"', '"Paris"', 0],
  ['{"a":1}', String.raw`"{\"a\":1}"`, 1],
  ['{"a": 1}', String.raw`"{\"a\":1}"`, 0],
  ['caf\u00e9', String.raw`"cafe\u0301"`, 0],
  ['42', '42', 1],
  ['42.0', '42', 1],
  [' 4.2e1\n', '42', 1],
  ['"42"', '42', 0],
  ['42', '"42"', 1],
  ['-0', '0', 1],
  ['true', 'true', 1],
  ['True', 'true', 0],
  ['[1, 2]', '[1,2]', 1],
  ['[2, 1]', '[1,2]', 0],
  ['[1]', '[1,2]', 0],
  ['{"0":1}', '[1]', 0],
  ['{ "b": [null], "a": 1 }', '{"a":1,"b":[null]}', 1],
  ['{"a":1}', '{"a":1,"b":null}', 0],
  ['{"a":1,"b":null}', '{"a":1}', 0],
  ['{"a":1,"c":null}', '{"a":1,"b":null}', 0],
  ['{"toString":1}', '{"valueOf":1}', 0],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}', 1],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', 0],
  ['{}', '{"__proto__":{}}', 0],
  ['{"a":1', '{"a":1}', 0],
  ['```json\n{"a":1}\n```', '{"a":1}', 0],
  ['9007199254740993', '9007199254740993', 1],
  ['9007199254740992', '9007199254740993', 0],
  ['{"id": 9007199254740993.0}', '{"id":9007199254740993}', 1],
  ['{"id": 9.007199254740993e15}', '{"id":9007199254740993}', 1],
  ['{"id": {"rawJSON":"9007199254740993"}}', '{"id":9007199254740993}', 0],
  ['{"id": "9007199254740993"}', '{"id":9007199254740993}', 0],
  ['0.1', '0.10000000000000000001', 0],
];

describeScorerContract(
  {
    plugin: exactMatch,
    configs: { accepted: [{}], refused: [{ trim: true }, null] },
    needsExpected: true,
    samples: CASES.map(([output, expected, score]) => ({
      name: `${JSON.stringify(output)} for ${expected}`,
      sample: { output, expected: parseExactJson(expected) },
      expected: score,
    })),
  },
  { describe, it },
);
