import { describe, expect, it } from '@jest/globals';
import { parseWithSources } from '@spandrel/contract';
import { Invalid, NotFound } from '@spandrel/kernel';
import { z } from 'zod';
import { PathId, SchemaPipe } from './pipes.js';

describe('PathId', () => {
  const pipe = new PathId(() => new NotFound('trace_not_found', 'there is no trace with this id'));

  it('lets through whatever may be stored', () => {
    for (const id of ['01KA', 'ünïcode', '../..', '𝒳', '']) expect(pipe.transform(id)).toBe(id);
  });

  it('finds nothing by text that no column can hold', () => {
    for (const id of ['a\0b', '\ud800', 'x\udc00']) {
      expect(() => pipe.transform(id)).toThrow('there is no trace with this id');
    }
  });
});

describe('SchemaPipe', () => {
  const filter = z.object({ limit: z.number().optional() });
  const schema = z.object({
    filter: filter.nullish(),
    filters: z.array(filter).optional(),
    any: z.unknown().optional(),
  });
  const check = (text: string) => new SchemaPipe().transform(parseWithSources(text), { schema, type: 'body' } as never);
  const LONG = '123456789012345678901234567890';

  it('takes a number with many digits for a number where an object is expected', () => {
    for (const text of [`{"filter": ${LONG}}`, `{"filters": [{}, ${LONG}]}`, LONG]) {
      const fault = (): unknown => check(text);
      expect(fault).toThrow(Invalid);
      expect(fault).toThrow(/object/);
    }
    expect(check('{"filter": {"limit": 1}, "filters": [{}]}')).toEqual({ filter: { limit: 1 }, filters: [{}] });
  });

  it('leaves such numbers alone where any value is taken', () => {
    expect(JSON.stringify(check(`{"any": ${LONG}}`))).toBe(`{"any":${LONG}}`);
  });
});
