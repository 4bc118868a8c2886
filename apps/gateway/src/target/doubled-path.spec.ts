import { describe, expect, it } from '@jest/globals';
import { parseBase, type Base } from './base-url.js';
import { doubledPath } from './doubled-path.js';

describe('doubledPath', () => {
  it.each([
    ['https://llm.example.com/v1', '/v1/chat/completions', 'llm.example.com/v1/v1/chat/completions'],
    ['https://llm.example.com/openai/v1/', '/v1/responses', 'llm.example.com/openai/v1/v1/responses'],
    [
      'http://localhost:8000/v1/chat/completions',
      '/v1/chat/completions',
      'localhost:8000/v1/chat/completions/v1/chat/completions',
    ],
    ['https://llm.example.com', '/v1/chat/completions', null],
    ['https://llm.example.com/openai', '/v1/chat/completions', null],
    ['https://llm.example.com/v1', '/chat/completions', null],
    ['https://llm.example.com/v1/account', '/v1/chat/completions', null],
  ])('%s and %s', (base, path, expected) => {
    expect(doubledPath(parseBase(base, false) as Base, path)).toBe(expected);
  });
});
