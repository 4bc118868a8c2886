import { validateHeaderValue } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '@spandrel/contract';
import fc from 'fast-check';
import { z } from 'zod';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { knownMembers } from '@spandrel/kernel';
import { hasIgnored, ignoredHeader } from './unknown-names.js';

const item = z.object({ id: z.string(), name: z.string().nullish() });
const known = knownMembers(
  z.object({
    name: z.string(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    config: z.preprocess((value) => value, z.object({ temperature: z.number().nullish() }).nullish()),
    spans: z.array(z.unknown().meta({ describedBy: item })).nullish(),
    any: z.looseObject({ type: z.string() }).optional(),
  }),
)!;

const headerOf = (body: unknown): string | undefined =>
  hasIgnored(body, known) ? ignoredHeader(body, known) : undefined;

describe('the header that names ignored members', () => {
  it.each<[unknown, string | undefined]>([
    [{}, undefined],
    [{ name: 'n', metadata: { nam: 1 }, config: { temperature: 1 }, spans: [{ id: 'i' }], any: { x: 1 } }, undefined],
    [{ nam: 'x' }, 'nam (name?)'],
    [{ nam: 'x', foo: 1, config: null }, 'nam (name?), foo'],
    [{ config: { temprature: 1, top: 2 } }, 'config.temprature (temperature?), config.top'],
    [
      {
        spans: [
          { id: 'a', nmae: 1 },
          { id: 'b', nmae: 2, x: 3 },
        ],
      },
      'spans[].nmae (name?), spans[].x',
    ],
    [{ spans: 'no list', config: [1], name: {} }, undefined],
    [{ spans: [null, 1, []] }, undefined],
    [{ '': 1 }, '""'],
    [{ 'a, b (c?)\r\nX: y': 1 }, 'a%2C%20b%20%28c%3F%29%0D%0AX%3A%20y'],
    [{ 'größe\ud800': 1 }, 'gr%C3%B6%C3%9Fe%EF%BF%BD'],
    [{ ['x'.repeat(41)]: 1 }, `${'x'.repeat(40)}...`],
    [[{ nam: 1 }], undefined],
    [null, undefined],
    ['nam', undefined],
  ])('for %j is %j', (body, header) => {
    expect(headerOf(body)).toBe(header);
  });

  it('takes __proto__ and long numbers for what they are', () => {
    expect(headerOf(parseExactJson('{"__proto__":1,"constructor":2}'))).toBe('__proto__, constructor');
    expect(headerOf(parseExactJson('{"config":123456789012345678901234567890}'))).toBeUndefined();
  });

  it('ends after ten names, and names each once', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => [`x${index}`, 1]);
    expect(headerOf(Object.fromEntries(names))).toBe('x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, ...');
    const spans = Array.from({ length: 10_000 }, () => ({ id: 'i', zzz: 1 }));
    expect(headerOf({ spans })).toBe('spans[].zzz');
  });

  it('is a short header of plain characters, whatever the names are', () => {
    const name = fc.string({ unit: anyCharacter, maxLength: 60 });
    fc.assert(
      fc.property(fc.dictionary(name, fc.constant(1), { maxKeys: 20, minKeys: 1 }), (body) => {
        const header = headerOf(body);
        if (header === undefined) return;
        expect(() => validateHeaderValue('X-Spandrel-Ignored', header)).not.toThrow();
        expect(header).toMatch(/^[\w.%()?"[\], -]+$/);
        expect(header.length).toBeLessThanOrEqual(1_005);
      }),
    );
  });
});
