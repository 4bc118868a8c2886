import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { SchemaComponents } from './schema-components.js';

const NULL = { type: 'object', nullable: true, enum: [null] };
const shown = (schema: z.ZodType, side: 'input' | 'output' = 'input') => new SchemaComponents().schemaOf(schema, side);

describe('schemas as OpenAPI 3.0 has them', () => {
  it.each<[string, z.ZodType, unknown]>([
    ['a type', z.string().nullable(), { type: 'string', nullable: true }],
    ['an enumeration', z.enum(['a', 'b']).nullable(), { type: 'string', nullable: true, enum: ['a', 'b', null] }],
    [
      'a union',
      z.union([z.string(), z.number()]).nullable(),
      { anyOf: [{ type: 'string' }, { type: 'number' }, NULL] },
    ],
    [
      'a component',
      z.object({}).meta({ id: 'Named' }).nullable(),
      { anyOf: [{ $ref: '#/components/schemas/Named' }, NULL] },
    ],
    ['anything', z.unknown().nullable(), {}],
  ])('have null in %s', (_what, schema, expected) => {
    expect(shown(schema)).toEqual(expected);
  });

  it('are what the meta of code says, with what stands beside it', () => {
    const code = z
      .string()
      .transform(Number)
      .meta({ openapi: { type: 'integer', minimum: 1 } });
    expect(shown(code)).toEqual({ type: 'integer', minimum: 1 });
    expect(shown(code.describe('How many.').optional())).toEqual({
      type: 'integer',
      minimum: 1,
      description: 'How many.',
    });
    const described = z.custom<object>().meta({ id: 'Kind', describedBy: z.union([z.literal('a'), z.literal('b')]) });
    const components = new SchemaComponents();
    expect(components.schemaOf(z.object({ kind: described }), 'output')).toEqual({
      type: 'object',
      properties: { kind: { $ref: '#/components/schemas/Kind' } },
      required: ['kind'],
    });
    expect(components.schemas).toEqual({
      Kind: {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'string', enum: ['b'] },
        ],
      },
    });
  });

  it('are open where members are ignored or may come, and closed where others are refused', () => {
    expect(shown(z.object({ a: z.string() }), 'output')).not.toHaveProperty('additionalProperties');
    expect(shown(z.strictObject({ a: z.string() }))).toMatchObject({ additionalProperties: false });
    expect(shown(z.looseObject({ a: z.string() }))).toMatchObject({ additionalProperties: {} });
  });

  it('are refused when only code knows them, and when two have one name', () => {
    expect(() => shown(z.object({ a: z.object({ b: z.custom() }) }))).toThrow(
      /code alone.*properties\.a\.properties\.b/,
    );
    const components = new SchemaComponents();
    components.schemaOf(z.object({ a: z.string() }).meta({ id: 'Twice' }), 'output');
    expect(() => components.schemaOf(z.object({ b: z.string() }).meta({ id: 'Twice' }), 'output')).toThrow('"Twice"');
  });
});
