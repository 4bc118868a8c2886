import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '@spandrel/kernel';
import { isUnavailable, toDomainError } from './storage-errors.js';

const failure = (code: string): Error => Object.assign(new Error('of the database'), { code });

describe('an error that is left when a transaction was tried again', () => {
  it.each(['40001', '40P01'])('asks to try again when it is a conflict: %s', (code) => {
    const error = failure(code);
    const said = toDomainError(error) as Error;
    expect(said).toBeInstanceOf(Unavailable);
    expect(said).toMatchObject({ message: expect.stringContaining('others changed the same data'), cause: error });
    // The database is well: it is not to be taken for down.
    expect(isUnavailable(error)).toBe(false);
  });

  it('stays the fault of the program that it is when a key is taken', () => {
    const error = failure('23505');
    expect(toDomainError(error)).toBe(error);
  });

  it('says whether the database was slow or away', () => {
    expect(toDomainError(failure('57014'))).toMatchObject({ message: expect.stringContaining('took too long') });
    expect(toDomainError(failure('53300'))).toMatchObject({ message: expect.stringContaining('cannot be reached') });
  });
});
