import { describe, expect, it } from '@jest/globals';
import { bindParameters } from './bound-drivers.js';

describe('a statement of the ORM', () => {
  it('is sent with its values beside it, as each database marks them', () => {
    const text = 'select * from q where a = ? and b in (?, ?) limit ?';
    const values = ["it's", 'a\\?b\u0000', null, 5];
    expect(bindParameters(text, values, 'sqlite')).toEqual({ text, params: values });
    expect(bindParameters(text, values, 'postgres')).toEqual({
      text: 'select * from q where a = $1 and b in ($2, $3) limit $4',
      params: values,
    });
  });

  it('keeps question marks that mark no value', () => {
    expect(bindParameters("select a \\? 'b' from q where c = ?", [1], 'postgres')).toEqual({
      text: "select a ? 'b' from q where c = $1",
      params: [1],
    });
  });

  it('is left to the ORM when it has names or values of another kind, or others than it marks', () => {
    expect(bindParameters('select ?? from q', ['a'], 'sqlite')).toBeUndefined();
    for (const value of [true, new Date(0), [1], { a: 1 }, undefined]) {
      expect(bindParameters('select ?', [value], 'sqlite')).toBeUndefined();
    }
    expect(bindParameters('select ?', [1, 2], 'sqlite')).toBeUndefined();
  });
});
