import { describe, expect, it } from '@jest/globals';
import { errorMessageOf, type Provider } from '@spandrel/plugin-api';
import { refusesMember } from './refused-member.js';

const connection = { provider: { errorMessage: errorMessageOf } as Provider, redact: (text: string) => text };

const refuses = (member: Parameters<typeof refusesMember>[2], body: unknown, status = 400): boolean =>
  refusesMember(connection, { status, body, excerpt: JSON.stringify(body).slice(0, 300), latencyMs: 1 }, member);

describe('a member that a server refuses', () => {
  it.each([
    [
      'OpenAI and Azure: of a value',
      {
        error: {
          message: "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is.",
          ...{ type: 'invalid_request_error', param: 'temperature', code: 'unsupported_value' },
        },
      },
      400,
    ],
    ['OpenAI: by its name alone', { error: { message: 'Not with this model.', param: 'temperature' } }, 400],
    [
      'Anthropic',
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' },
      },
      400,
    ],
    ['LiteLLM', { error: { message: "gpt-5 models don't support temperature=0", param: 'None', code: '400' } }, 400],
    [
      'FastAPI',
      { detail: [{ type: 'extra_forbidden', loc: ['body', 'temperature'], msg: 'Extra inputs are not permitted' }] },
      422,
    ],
    ['OpenAI: by its code alone', { error: { message: 'Not with this model.', code: 'unsupported_value' } }, 400],
    ['Bedrock', { message: 'ValidationException: Temperature may not be set.' }, 400],
  ])('is a temperature: %s', (_who, body, status) => {
    expect(refuses('temperature', body, status)).toBe(true);
    expect(refuses('temperature', body, 500)).toBe(false);
    expect(refuses('max_tokens', body, status)).toBe(false);
  });

  it.each([
    ['max_tokens', "Unsupported parameter: 'max_tokens' is not supported with this model."],
    ['max_completion_tokens', 'Unrecognized request argument supplied: max_completion_tokens'],
    ['max_completion_tokens', 'json: unknown field "max_completion_tokens"'],
    ['max_completion_tokens', 'max_completion_tokens: Extra inputs are not permitted'],
    ['max_tokens', 'Please send max_completion_tokens in place of max_tokens.'],
  ] as const)('is %s: %s', (member, message) => {
    expect(refuses(member, { error: { message } })).toBe(true);
    expect(refuses('temperature', { error: { message } })).toBe(false);
  });

  it('is none that the error does not name', () => {
    expect(refuses('temperature', { error: { code: 'unsupported_value', param: 'messages[0].content' } })).toBe(false);
  });

  it.each([
    "'max_tokens' or 'max_completion_tokens' is too large: 100000.",
    "'max_tokens' is too large: 100000. This model's maximum context length is 4096 tokens.",
    'max_tokens must be at least 1',
    "Invalid 'max_tokens': integer above maximum value.",
    'The parameter max_completion_tokens is not supported',
    'no such model',
  ])('is not max_tokens: %s', (message) => {
    expect(refuses('max_tokens', { error: { message, param: null } })).toBe(false);
  });
});
