import { describe, expect, it } from '@jest/globals';
import { errorMessageOf, type Provider } from '@spandrel/plugin-api';
import { refusalOf, refusesMember } from './refusal-of.js';

const KEY = 'sk-secret';

interface Reported {
  status: number;
  said?: string;
  excerpt?: string;
  providerName?: string;
  baseUrl?: string | null;
  apiKey?: string;
  model?: string;
  errorMessage?: Provider['errorMessage'];
}

function refusal(reported: Reported): string {
  const {
    status,
    said,
    excerpt = '',
    providerName = 'custom',
    baseUrl = 'http://model.test/v1',
    apiKey = KEY,
  } = reported;
  const connection = {
    id: 'c1',
    name: 'mine',
    providerName,
    provider: { errorMessage: reported.errorMessage ?? errorMessageOf } as Provider,
    target: { baseUrl, apiKey },
    server: 'http://model.test',
    redact: (text: string) => text.replaceAll(KEY, '[redacted]'),
  };
  const body = said === undefined ? undefined : { error: { message: said } };
  return refusalOf(connection, { status, body, excerpt, latencyMs: 1 }, reported.model);
}

describe('a call that a server refused', () => {
  it.each([
    [
      { status: 401, said: `no such key ${KEY}` },
      'HTTP 401 from http://model.test: no such key [redacted] (check the api_key of the connection "mine")',
    ],
    [{ status: 403, apiKey: '' }, 'HTTP 403 from http://model.test (the connection "mine" has no api_key)'],
    [
      { status: 404, said: 'The model `gpt-9` does not exist', model: 'gpt-9' },
      "HTTP 404 from http://model.test: The model `gpt-9` does not exist (check the model's name; POST /api/provider-connections/c1/test lists those that the server has)",
    ],
    [
      { status: 404, excerpt: 'Not Found', baseUrl: 'http://model.test/', model: 'm1' },
      'HTTP 404 from http://model.test: Not Found (base_url of the provider custom mostly ends in /v1, and this one does not)',
    ],
    [
      { status: 404, excerpt: 'Not Found', providerName: 'openai', baseUrl: 'http://model.test/openai' },
      'HTTP 404 from http://model.test: Not Found (base_url of the provider openai mostly ends in /v1, and this one does not)',
    ],
    [
      { status: 404, excerpt: 'Not Found', providerName: 'anthropic' },
      'HTTP 404 from http://model.test: Not Found (base_url of the provider anthropic is without the /v1 at its end)',
    ],
    [
      { status: 404, excerpt: 'Not Found', providerName: 'ollama', baseUrl: 'http://model.test/v1/' },
      'HTTP 404 from http://model.test: Not Found (base_url of the provider ollama is without the /v1 at its end)',
    ],
    [
      { status: 405, providerName: 'ollama', baseUrl: 'http://model.test' },
      'HTTP 405 from http://model.test (is base_url the address of an API in the format of ollama?)',
    ],
    [
      { status: 404, providerName: 'of-a-plugin' },
      'HTTP 404 from http://model.test (check base_url: the server has nothing at this path)',
    ],
    [
      { status: 429, said: 'slow down' },
      'HTTP 429 from http://model.test: slow down (wait, lower evals.concurrency, or see to the quota of the account)',
    ],
    [
      { status: 308 },
      'HTTP 308 from http://model.test (redirects are not followed: give base_url as the address it leads to)',
    ],
    [{ status: 500, said: 'sorry' }, 'HTTP 500 from http://model.test: sorry'],
  ] satisfies [Reported, string][])('names the server and what to try: %j', (reported, sentence) => {
    expect(refusal(reported)).toBe(sentence);
  });

  it('is reported also where the plugin cannot read what the server said', () => {
    const errorMessage = (): never => {
      throw new Error('broken plugin');
    };
    expect(refusal({ status: 500, said: 'x', excerpt: '{"x"}', errorMessage })).toBe(
      'HTTP 500 from http://model.test: {"x"}',
    );
  });
});

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
