import { describe, expect, it } from '@jest/globals';
import { NotFound } from '@spandrel/kernel';
import { PathId } from './pipes.js';

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
