/** Clients that are given to observed functions: neither their keys nor their inside is in what is sent. */
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { FakeIngest } from '../../../../test/sdk/support/fake-ingest.js';
import { Spandrel } from '../spandrel.js';

const KEY = 'sk-the-key-of-the-test';
/** Members of the clients, private ones too, and addresses and headers that they hold. */
const INSIDE = [KEY, 'baseURL', 'maxRetries', '_options', 'fetchOptions', 'idempotencyHeader', 'api.openai.com', 'api.anthropic.com']; // prettier-ignore

/** Sends what `record` records. @returns all that was sent, as text. */
async function sent(record: (spandrel: Spandrel) => unknown): Promise<{ text: string; server: FakeIngest }> {
  const server = new FakeIngest();
  let text = '';
  const spandrel = new Spandrel({
    fetch: (url, init) => {
      text += `${JSON.stringify([...new Headers(init?.headers)])}\n${new TextDecoder().decode(init?.body as Uint8Array)}\n`;
      return server.fetch(url, init);
    },
  });
  await record(spandrel);
  await spandrel.flush();
  return { text, server };
}

describe.each([
  ['OpenAI', () => new OpenAI({ apiKey: KEY })],
  ['Anthropic', () => new Anthropic({ apiKey: KEY })],
] as const)('%s', (name, make) => {
  const shown = `[${name}]`;
  const failed = (client: object): Error => Object.assign(new Error('no'), { client, headers: { 'x-api-key': KEY } });

  it.each<[string, (spandrel: Spandrel, client: object) => unknown, object]>([
    [
      'as an argument',
      (spandrel, client) => spandrel.observe(function f(_client: object, _q: string) {})(client, 'hello'),
      { name: 'f', input: [shown, 'hello'] },
    ],
    [
      'in an argument',
      (spandrel, client) => spandrel.observe((_options: object) => {})({ client, deps: [{ client }] }),
      { input: { client: shown, deps: [{ client: shown }] } },
    ],
    [
      'as a result',
      (spandrel, client) => spandrel.observe(() => Promise.resolve({ client }))(),
      { output: { client: shown } },
    ],
    [
      'on an error',
      (spandrel, client) =>
        spandrel
          .observe(() => Promise.reject(failed(client)))()
          .catch(() => {}),
      { status: 'failed', error: 'no' },
    ],
    [
      'as the options that made it',
      (spandrel) => spandrel.observe((_options: object) => {})({ apiKey: KEY, defaultHeaders: { Authorization: KEY } }),
      { input: { apiKey: '[masked]', defaultHeaders: { Authorization: '[masked]' } } },
    ],
  ])('%s', async (_how, record, expected) => {
    const { text, server } = await sent((spandrel) => record(spandrel, make()));
    expect([...server.spans.values()].at(-1)).toMatchObject(expected);
    for (const word of INSIDE) expect(text).not.toContain(word);
  });
});
