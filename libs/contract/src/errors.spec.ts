import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ERRORS } from './error-codes.js';
import { dottedPath, problem } from './errors.js';

describe('the error catalogue', () => {
  it('is what docs/errors.md says', () => {
    const page = readFileSync(resolve('docs/errors.md'), 'utf8');
    const documented = [...page.matchAll(/^\| *`(\w+)` *\| *(\d+) *\|/gm)].map(([, code, status]) => [
      code,
      Number(status),
    ]);
    expect(documented).toEqual(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
  });

  it('makes problems without empty members', () => {
    expect(problem('not_found', 'nothing here', 'r1')).toEqual({
      type: 'about:blank',
      title: 'There is nothing here',
      status: 404,
      detail: 'nothing here',
      code: 'not_found',
      request_id: 'r1',
    });
  });

  it('writes paths as people read them', () => {
    expect(dottedPath(['spans', 3, 'kind', 'model'])).toBe('spans[3].kind.model');
    expect(dottedPath([])).toBe('');
  });
});
