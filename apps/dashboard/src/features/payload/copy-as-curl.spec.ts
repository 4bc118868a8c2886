import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { curlOf, type RecordedCall } from './copy-as-curl.js';

const LOCAL = { url: 'http://127.0.0.1:3001', isCloud: false };

/** Arguments and standard input that a shell hands to curl. */
function sent(command: string): { args: string[]; input: string } {
  const script = `curl() { for a in "$@"; do printf '%s\\0' "$a"; done; printf '\\1'; case "$*" in *@-*) cat;; esac; }\n${command}`;
  const env = {
    OPENAI_API_KEY: 'sk-1',
    ANTHROPIC_API_KEY: 'sk-2',
    SPANDREL_KEY: 'sk-3',
    PROVIDER_BASE_URL: 'https://p',
  };
  const [args, input] = execFileSync('/bin/sh', { input: script, env, maxBuffer: 1e8 }).toString().split('\x01');
  return { args: args!.split('\0').slice(0, -1), input: input! };
}

const bodyOf = (call: RecordedCall) => {
  const { args } = sent(curlOf(call, LOCAL));
  return JSON.parse(args[args.indexOf('-d') + 1]!) as unknown;
};

const call = (provider: string, endpoint: string, input: unknown, request: object = {}): RecordedCall => ({
  kind: { type: 'llm_call', model: 'm', provider },
  input,
  metadata: { endpoint, request },
});

const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'It\'s $HOME `now`\n"?"' },
];

describe('curlOf', () => {
  it('sends the recorded messages and parameters to the gateway, with a variable for the key', () => {
    const command = curlOf(call('openai', '/v1/chat/completions', MESSAGES, { temperature: 0.2, stream: true }), LOCAL);
    expect(sent(command).args).toEqual([
      '-N',
      'http://127.0.0.1:3001/v1/chat/completions',
      '-H',
      'Content-Type: application/json',
      '-H',
      'Authorization: Bearer sk-1',
      '-d',
      JSON.stringify({ model: 'm', messages: MESSAGES, temperature: 0.2, stream: true }),
    ]);
    expect(command).toContain('"Authorization: Bearer $OPENAI_API_KEY"');
  });

  it('keeps every digit of a number', () => {
    const seed = JSON.rawJSON('12345678901234567890');
    expect(curlOf(call('openai', '/v1/chat/completions', [], { seed }), LOCAL)).toContain(
      '"seed":12345678901234567890',
    );
  });

  it('puts the system prompt of Anthropic where it was', () => {
    const command = curlOf(call('anthropic', '/v1/messages', MESSAGES, { max_tokens: 9 }), { ...LOCAL, isCloud: true });
    const { args } = sent(command);
    expect(args).toEqual(expect.arrayContaining(['x-api-key: sk-2', 'anthropic-version: 2023-06-01']));
    expect(args).toContain('X-Spandrel-Key: sk-3');
    expect(JSON.parse(args.at(-1)!)).toEqual({
      model: 'm',
      system: 'Be brief.',
      messages: [MESSAGES[1]],
      max_tokens: 9,
    });
  });

  it('gives items of the Responses API their form back', () => {
    const items = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { role: 'tool', type: 'function_call_output', call_id: 'c', content: '7' },
    ];
    expect(bodyOf(call('openai', '/v1/responses', items))).toEqual({
      model: 'm',
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: '7' },
      ],
    });
  });

  it.each([
    ['ollama', '/api/chat', { messages: MESSAGES }],
    ['ollama', '/api/generate', { system: 'Be brief.', prompt: MESSAGES[1]!.content }],
    ['openai', '/v1/completions', { prompt: MESSAGES }],
    ['openai', '/v1/embeddings', { input: MESSAGES }],
  ])('knows the form of %s %s', (provider, path, rest) => {
    expect(bodyOf(call(provider, path, MESSAGES))).toEqual({ model: 'm', ...rest });
  });

  it('asks where to forward a call whose provider the path does not say', () => {
    const { args } = sent(curlOf(call('custom', '/v1/chat/completions', MESSAGES), LOCAL));
    expect(args).toContain('X-Forward-URL: https://p');
    expect(sent(curlOf({ kind: {}, input: 'Hi', metadata: null }, LOCAL)).args[0]).toBe(
      'http://127.0.0.1:3001/v1/chat/completions',
    );
  });

  it('hands over a body that is too long for an argument', () => {
    const input = [{ role: 'user', content: "x'".repeat(100_000) }];
    const { input: body } = sent(curlOf(call('openai', '/v1/chat/completions', input), LOCAL));
    expect(JSON.parse(body)).toEqual({ model: 'm', messages: input });
  });

  it('lets no text out of its quotes', () => {
    const text = fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', '`', '(', ')', ';', '\n', '!', 'a') });
    fc.assert(
      fc.property(text, (content) => {
        const messages = [{ role: 'user', content }];
        expect(bodyOf(call('openai', '/v1/chat/completions', messages))).toEqual({ model: 'm', messages });
      }),
      { numRuns: 20 },
    );
  });
});
