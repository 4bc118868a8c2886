import { describe, expect, it } from '@jest/globals';
import { describeScorerContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import jsonSchema from './index.js';
import { compileSchema } from './compile-schema.js';

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

const CASES: [output: string, schema: object, score: 0 | 1][] = [
  ['{"name":"Ada","age":36}', PERSON, 1],
  [' {"age": 36.0, "name": "Ada"}\n', PERSON, 1],
  ['{"name":"Ada","age":"36"}', PERSON, 0],
  ['{"name":"Ada"}', PERSON, 0],
  ['{"name":"Ada","age":36,"x":1}', PERSON, 0],
  ['```json\n{"name":"Ada","age":36}\n```', PERSON, 0],
  ['Ada, 36', PERSON, 0],
  ['', {}, 0],
  ['null', {}, 1],
  ['{}', { required: ['toString'] }, 0],
  ['[1,"a"]', { prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false }, 1],
  ['[1,"a",2]', { prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false }, 0],
  [
    '[1,"a",2]',
    { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'integer' }], additionalItems: true },
    1,
  ],
  ['"2024-02-30"', { format: 'date' }, 0],
  ['"2024-02-29"', { format: 'date' }, 1],
  ['"a@b.example"', { format: 'email' }, 1],
  ['"EMP-12"', { type: 'string', pattern: '^EMP-\\d+$' }, 1],
  [`"${'a'.repeat(50_000)}!"`, { type: 'string', pattern: '^(a+)+$' }, 0],
  ['{"a":{"a":{"a":{}}}}', { properties: { a: { $ref: '#' } }, additionalProperties: false }, 1],
  ['{"a":{"a":{"b":{}}}}', { properties: { a: { $ref: '#' } }, additionalProperties: false }, 0],
  ['{"n":1}', { $id: 'https://json-schema.org/draft/2020-12/schema', properties: { n: { type: 'string' } } }, 0],
  ['{"__proto__":1}', { additionalProperties: false }, 0],
];

describeScorerContract(
  {
    plugin: jsonSchema,
    configs: {
      accepted: [{}, { schema: PERSON }],
      refused: [{ schema: 'object' }, { schema: [1] }, { schema: true }, { json: {} }, null],
    },
    needsExpected: false,
    refusedRuns: [
      undefined,
      { type: 'text' },
      { required: 'name' },
      { properties: { a: { pattern: 'a(?=b)' } } },
      { pattern: '((a{1,1000}){1,1000})' },
      { allOf: Array.from({ length: 100 }, (_, index) => ({ pattern: `(a{1,100}){1,8}b{${index}}` })) },
      { $ref: 'https://schemas.example/person.json' },
      { $ref: '#/$defs/none' },
      { $async: true },
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      { enum: ['x'.repeat(50_000)] },
    ].map((schema) => ({ config: { schema }, path: 'schema' })),
    samples: CASES.map(([output, schema, expected]) => ({
      name: `${JSON.stringify(output).slice(0, 40)} by ${JSON.stringify(schema).slice(0, 80)}`,
      sample: { output, config: { schema } },
      expected,
    })),
  },
  { describe, it },
);

describe('JsonSchema', () => {
  const reasonOf = async (output: string, schema: Record<string, unknown>) => {
    const scorer = await setUpPlugin(jsonSchema, {});
    const sample = { input: '', expected: undefined, rubric: undefined, latencyMs: null, cost: null };
    const ask = () => Promise.reject(new Error('asked'));
    const { signal } = new AbortController();
    return scorer.score({ ...sample, output, config: { schema }, complete: ask, embed: ask, signal });
  };

  it('says where the output is wrong first', async () => {
    expect(await reasonOf('no', PERSON)).toEqual({ score: 0, reason: 'the output is not JSON' });
    const list = { items: PERSON };
    expect(await reasonOf('[{"name":"A","age":1},{"name":"B","age":-1}]', list)).toEqual({
      score: 0,
      reason: 'output/1/age must be >= 0',
    });
    expect((await reasonOf('{"name":"A","age":1,"extra":2}', PERSON)).reason).toBe(
      'output must NOT have additional properties: "extra"',
    );
    const long = await reasonOf(JSON.stringify({ ['x'.repeat(5_000)]: 1 }), { additionalProperties: { type: 'null' } });
    expect(long.reason!.length).toBeLessThan(400);
  });

  it('fails for a schema that goes round in circles, and keeps what it said of others', async () => {
    await expect(reasonOf('{}', { $ref: '#' })).rejects.toThrow('refers to itself without end');
    expect(compileSchema(PERSON)({ name: 'Ada', age: 1 })).toBeUndefined();
  });

  it('keeps schemas apart that have one id', () => {
    const schema = (type: string) => ({ $id: 'https://schemas.example/one', type });
    const [texts, numbers] = [compileSchema(schema('string')), compileSchema(schema('number'))];
    expect([texts('a'), texts(1), numbers(1), numbers('a')].map((fault) => fault === undefined)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });
});
