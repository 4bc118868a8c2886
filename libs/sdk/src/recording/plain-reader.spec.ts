import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { serialise } from './json-writer.js';
import { isSecretName } from './plain-reader.js';

/** Keys of clients and of requests are not recorded, wherever they stand. */

const KEY = 'sk-the-key-of-the-test';
const MIB = 1_048_576;
const written = (value: unknown, masksSecrets = true): string => serialise(value, MIB, masksSecrets).json!;
const parsed = (value: unknown): unknown => JSON.parse(written(value));

const openai = new OpenAI({ apiKey: KEY });
const anthropic = new Anthropic({ apiKey: KEY });

describe('clients', () => {
  class Holder {
    client = openai;
    city = 'Lyon';
  }
  class Own {
    credential = KEY;
    ask(): string {
      return this.credential;
    }
  }
  class Below extends Own {}
  class Bound {
    hidden = KEY;
    ask = (): string => this.hidden;
  }
  const failed = Object.assign(new Error('no'), { client: openai, request: { headers: { 'x-api-key': KEY } } });

  it.each<[string, unknown, unknown]>([
    ['OpenAI', openai, '[OpenAI]'],
    ['Anthropic', anthropic, '[Anthropic]'],
    ['an argument beside others', [openai, 'hello'], ['[OpenAI]', 'hello']],
    ['in an object', { client: anthropic }, { client: '[Anthropic]' }],
    ['in a list, a map and a set', [[openai], new Map([['a', openai]]), new Set([anthropic])], [['[OpenAI]'], { a: '[OpenAI]' }, ['[Anthropic]']]], // prettier-ignore
    ['in a field of a class that is data', new Holder(), { client: '[OpenAI]', city: 'Lyon' }],
    ['a piece of one', openai.chat.completions, '[Completions]'],
    ['behind a proxy', new Proxy(openai, {}), '[OpenAI]'],
    ['a copy', openai.withOptions({ timeout: 1 }), '[OpenAI]'],
    ['of a class of one’s own', new Own(), '[Own]'],
    ['of a class below it', new Below(), '[Below]'],
    ['with bound methods', new Bound(), '[Bound]'],
    ['whose class has no name', new (class {
      hidden = KEY;
      ask(): void {}
    })(), '[Object]'], // prettier-ignore
    ['what toJSON gives', { toJSON: () => ({ client: openai }) }, { client: '[OpenAI]' }],
  ])('%s', (_name, value, expected) => {
    expect(parsed(value)).toEqual(expected);
    expect(written(value)).not.toContain(KEY);
  });

  it.each([
    ['an error with one', failed],
    ['a cause with headers', new Error('no', { cause: { headers: { Authorization: `Bearer ${KEY}` } } })],
    ['headers of fetch', new Headers({ authorization: `Bearer ${KEY}` })],
    ['a request of fetch', new Request('http://127.0.0.1/', { headers: { authorization: KEY } })],
    ['an error of a client', new OpenAI.AuthenticationError(401, {}, 'no', new Headers({ 'x-api-key': KEY }))],
  ])('%s: no key', (_name, value) => expect(written({ value })).not.toContain(KEY));
});

describe('data of classes is recorded', () => {
  class Address {
    city = 'Lyon';
  }
  class Person {
    name = 'Ada';
    address = new Address();
    born = new Date(0);
    toString(): string {
      return this.name;
    }
    get initials(): string {
      return 'A';
    }
    static of(): Person {
      return new Person();
    }
  }
  class Row {
    secret = KEY;
    id = 1;
    save(): void {}
    toJSON(): object {
      return { id: this.id };
    }
  }

  it.each<[string, unknown, unknown]>([
    ['types of requests', new Person(), { name: 'Ada', address: { city: 'Lyon' }, born: '1970-01-01T00:00:00.000Z' }],
    ['what says itself what it is', new Row(), { id: 1 }],
    ['an address', new URL('http://a.b/c'), 'http://a.b/c'],
    [
      'plain objects with functions',
      { name: 'search', run: function run() {} },
      { name: 'search', run: '[function run]' },
    ],
  ])('%s', (_name, value, expected) => expect(parsed(value)).toEqual(expected));
});

describe('names', () => {
  const secret =
    'apiKey api_key api-key API_KEY apikey x-api-key X-Goog-Api-Key openaiApiKey OPENAI_API_KEY apiKeys password Password db_password PASSWD passphrase token authToken access_token accessToken GITHUB_TOKEN id_token x-auth-token secret client_secret clientSecret JWT_SECRET secrets authorization Authorization proxy-authorization privateKey private_key secretAccessKey cookie set-cookie jwt';
  const harmless =
    'input_tokens output_tokens max_tokens maxTokens tokens token_count tokenCount tokenizer next_page_token pageToken nextPageToken continuationToken eos_token stop_token time_to_first_token cost_per_token author authority authorized key keys name passwords_changed secretary cookies_accepted model api_version keyboard access monkey';
  it.each(secret.split(' '))('%s is one of a secret', (name) => expect(isSecretName(name)).toBe(true));
  it.each(harmless.split(' '))('%s is none', (name) => expect(isSecretName(name)).toBe(false));

  it('a long one is looked at from its end', () => {
    expect(isSecretName(`${'x'.repeat(100_000)}_api_key`)).toBe(true);
    expect(isSecretName(`api_key${'x'.repeat(100_000)}`)).toBe(false);
  });
});

describe('members named like secrets are masked', () => {
  it.each<[string, unknown, unknown]>([
    ['at any depth', { a: [{ headers: { Authorization: KEY, accept: 'x' } }] }, { a: [{ headers: { Authorization: '[masked]', accept: 'x' } }] }], // prettier-ignore
    ['whatever they hold', { password: 1234, secret: { a: KEY }, api_keys: [KEY] }, { password: '[masked]', secret: '[masked]', api_keys: '[masked]' }], // prettier-ignore
    ['in maps', [new Map([['token', KEY]]), new Map<unknown, unknown>([[1, 2], ['token', KEY]])], [{ token: '[masked]' }, [[1, 2], ['token', '[masked]']]]], // prettier-ignore
    ['in lists of headers', [['x-api-key', KEY], ['accept', 'x']], [['x-api-key', '[masked]'], ['accept', 'x']]], // prettier-ignore
    ['beside their name', [{ name: 'API_KEY', value: KEY }, { value: KEY, key: 'token' }, { name: 'city', value: 'x' }], [{ name: 'API_KEY', value: '[masked]' }, { value: '[masked]', key: 'token' }, { name: 'city', value: 'x' }]], // prettier-ignore
    ['not what says whether there is one', { password: null, token: false, secret: '' }, { password: null, token: false, secret: '' }], // prettier-ignore
    ['not log probabilities', { content: [{ token: 'Hello', logprob: -0.1 }], token: 5 }, { content: [{ token: 'Hello', logprob: -0.1 }], token: 5 }], // prettier-ignore
    ['not schemas', { properties: { password: { type: 'string' } } }, { properties: { password: { type: 'string' } } }],
    ['but values beside schemas', { properties: { password: KEY } }, { properties: { password: '[masked]' } }],
  ])('%s', (_name, value, expected) => expect(parsed(value)).toEqual(expected));

  it('unless configured otherwise', () => expect(written({ apiKey: KEY }, false)).toBe(`{"apiKey":"${KEY}"}`));
});
