import { describe, expect, it } from '@jest/globals';
import { firstCallLines, LANGUAGES } from './first-call-lines.js';

describe('the lines of the first call', () => {
  it.each(LANGUAGES.map(({ id }) => id))('go to the gateway (%s)', (language) => {
    expect(firstCallLines(language, 'http://127.0.0.1:3001', false)).toContain('http://127.0.0.1:3001/v1');
    expect(firstCallLines(language, 'http://127.0.0.1:3001', false)).not.toContain('SPANDREL_KEY');
    expect(firstCallLines(language, 'https://gateway.example.com', true)).toContain('SPANDREL_KEY');
  });

  it('are one command for a shell', () => {
    expect(firstCallLines('curl', 'http://127.0.0.1:3001', false)).toBe(
      [
        'curl http://127.0.0.1:3001/v1/chat/completions \\',
        '  -H "Authorization: Bearer $OPENAI_API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d '{"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}'`,
      ].join('\n'),
    );
  });
});
