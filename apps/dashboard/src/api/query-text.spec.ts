import { describe, expect, it } from '@jest/globals';
import { queryText } from './query-text.js';

describe('queryText', () => {
  it('repeats lists and leaves out what has no value', () => {
    expect(queryText({ tag: ['a b', 'ü&'], status: 'failed', name: undefined, until: null, limit: 0 })).toBe(
      '?tag=a+b&tag=%C3%BC%26&status=failed&limit=0',
    );
  });

  it('is empty when there is nothing to say', () => {
    expect(queryText({ tag: [], status: undefined })).toBe('');
  });

  it('keeps an empty text apart from none', () => {
    expect(queryText({ session_id: '' })).toBe('?session_id=');
  });
});
