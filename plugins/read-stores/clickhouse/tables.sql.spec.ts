import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { FORM, tablesOf } from './tables.sql.js';

it('says another form when the tables change, so that earlier stores are filled from the start', () => {
  const statements = tablesOf('db').join('\n').replaceAll(FORM, '').replaceAll(/\s+/g, ' ');
  const digest = createHash('md5').update(statements).digest('hex').slice(0, 8);
  // Who changes a table, but for what an earlier store may do without, changes both.
  expect([FORM, digest]).toEqual(['Spandrel read store, form 2', 'f350fe01']);
});
