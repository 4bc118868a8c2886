import assert from 'node:assert/strict';
import type { Provider, RequestHead, HttpRequest, EmbeddingCalls } from '../provider.js';
import { deepFreeze, type TestFunctions, describePlugin, setUpPlugin } from './set-up-plugin.js';
import {
  framesOf,
  type ProviderContract,
  CONTRACT_API_KEY,
  type ChatFixture,
  type EmbeddingFixture,
} from './fixtures.js';
import { describeReading } from './provider-reading-contract.js';
import { describeRobustness } from './provider-robustness-contract.js';
import { ODD_VALUES } from './odd-values.js';

/** The tests every provider plugin must pass. */
export function describeProviderContract<Config>(contract: ProviderContract<Config>, test: TestFunctions): void {
  const { plugin, configs } = contract;
  const provide = async (): Promise<Provider> => setUpPlugin(plugin, configs.accepted[0]);

  test.describe(`provider plugin ${plugin.name}`, () => {
    describePlugin(plugin, 'provider', configs, test);
    test.it('says where its calls go', async () => {
      const { defaultBaseUrl, hosts, baseHeader } = await provide();
      assert.ok(defaultBaseUrl === null || !/\/(v1)?$/.test(defaultBaseUrl), 'a base without slash or /v1 at its end');
      for (const name of [...hosts, baseHeader ?? '']) assert.equal(name, name.toLowerCase());
    });
    for (const { request, as } of contract.recognised) {
      test.it(`recognises ${headline(request)} as ${as}`, async () => {
        const provider = await provide();
        assert.equal(provider.recognises(deepFreeze(request)), as);
        assert.equal(provider.recognises(request), as, 'the same again');
      });
    }
    for (const request of contract.unrecorded) {
      test.it(`does not record ${headline(request)}`, async () => {
        assert.equal((await provide()).endpoint(deepFreeze(request)), undefined);
      });
    }
    for (const { status, body, message } of contract.errors) {
      test.it(`finds the message of a ${status} error`, async () => {
        assert.equal((await provide()).errorMessage(deepFreeze(body)), message);
      });
    }
    test.it('finds the message of its own error body', async () => {
      const provider = await provide();
      for (const status of [400, 401, 403, 404, 413, 429, 500, 502, 503, 529]) {
        const body: unknown = JSON.parse(JSON.stringify(provider.errorBody(status, `it said "${status}" 🙂`)));
        assert.equal(provider.errorMessage(body), `it said "${status}" 🙂`);
      }
    });
    describeReading(contract.calls, provide, test);
    describeRobustness(contract, provide, test);
    describeChatCalls(contract.chat, provide, test);
    describeEmbeddingCalls(contract.embeddings, provide, test);
  });
}

const headline = ({ method, path, headers }: RequestHead): string => [method, path, ...Object.keys(headers)].join(' ');

/** Chat calls of evaluations: the requests built, and the answers read. */
function describeChatCalls(
  chat: ChatFixture | undefined,
  provide: () => Promise<Provider>,
  { describe, it }: TestFunctions,
): void {
  if (chat === undefined) {
    it('makes no chat calls', async () => {
      const { buildRequest } = (await provide()).chat;
      const target = { baseUrl: null, apiKey: CONTRACT_API_KEY };
      assert.throws(() => buildRequest(target, { model: 'm', messages: [] }));
    });
    return;
  }
  const { models } = chat;
  const target = deepFreeze({ baseUrl: chat.baseUrl, apiKey: CONTRACT_API_KEY });

  describe('chat calls', () => {
    it('builds the request for a call', async () => {
      assert.deepEqual((await provide()).chat.buildRequest(target, deepFreeze(chat.call)), chat.request);
    });
    it('does not mind a slash at the end of the base', async () => {
      const slashed = { ...target, baseUrl: `${chat.baseUrl}/` };
      assert.equal((await provide()).chat.buildRequest(slashed, chat.call).url, chat.request.url);
    });
    it('sends the key in a header only, and to the host of the connection only', async () => {
      const { buildRequest, buildModelsRequest } = (await provide()).chat;
      for (const request of [buildRequest(target, chat.call), ...(models ? [buildModelsRequest(target)] : [])]) {
        assert.equal(new URL(request.url).host, new URL(chat.baseUrl).host);
        assert.ok(keyIsInHeaders(request), 'the key is in a header');
        assert.ok(!JSON.stringify([request.url, request.body]).includes(CONTRACT_API_KEY), 'and nowhere else');
      }
    });
    it('keeps nothing of a connection for the next', async () => {
      const { buildRequest } = (await provide()).chat;
      buildRequest(target, chat.call);
      const other = buildRequest({ baseUrl: 'https://other.example/v1', apiKey: 'sk-other' }, chat.call);
      assert.ok(!JSON.stringify(other).includes(CONTRACT_API_KEY));
      assert.equal(new URL(other.url).host, 'other.example');
    });
    it('goes to the default base when the connection names none', async () => {
      const { defaultBaseUrl, chat: calls } = await provide();
      const build = () => calls.buildRequest({ baseUrl: null, apiKey: '' }, chat.call);
      if (defaultBaseUrl === null) assert.throws(build, /base_url/);
      else assert.ok(build().url.startsWith(`${defaultBaseUrl}/`));
    });
    it('reads the answer', async () => {
      assert.deepEqual((await provide()).chat.readAnswer(deepFreeze(chat.answer.body)), chat.answer.expected);
    });
    it('takes tools and other parameters', async () => {
      if (!chat.tools) return;
      const { body } = (await provide()).chat.buildRequest(target, deepFreeze({ ...chat.call, ...chat.tools.call }));
      assert.deepEqual(body, { ...(chat.request.body as object), ...chat.tools.members });
    });
    it('streams an answer, or has it come whole', async () => {
      const { streamChat } = (await provide()).chat;
      assert.ok(streamChat || !chat.stream, 'has streamChat');
      if (!streamChat) return;
      const request = streamChat.buildRequest(target, deepFreeze(chat.call));
      assert.equal(new URL(request.url).host, new URL(chat.baseUrl).host);
      assert.ok(keyIsInHeaders(request), 'the key is in a header');
      if (!chat.stream) return;
      const { members, answer, expected } = chat.stream;
      assert.deepEqual(request, { ...chat.request, body: { ...(chat.request.body as object), ...members } });
      const reader = streamChat.readStream();
      for (const frame of framesOf(answer, streamChat.framing)) reader.push(frame);
      assert.ok(reader.started && reader.ended);
      assert.deepEqual(reader.answer(), expected);
      assert.notEqual(streamChat.readStream(), reader);
    });
    if (models === undefined) {
      it('lists no models', async () => {
        const { buildModelsRequest } = (await provide()).chat;
        assert.throws(() => buildModelsRequest(target));
      });
      return;
    }
    it('builds the request that lists models', async () => {
      assert.deepEqual((await provide()).chat.buildModelsRequest(target), models.request);
    });
    it('reads the list of models', async () => {
      assert.deepEqual((await provide()).chat.readModels(deepFreeze(models.body)), models.ids);
    });
  });
}

const keyIsInHeaders = ({ headers }: HttpRequest): boolean =>
  Object.values(headers).some((value) => value.includes(CONTRACT_API_KEY));

/** Embedding calls of search: the request built, and the answers read, whatever they are. */
function describeEmbeddingCalls(
  fixture: EmbeddingFixture | undefined,
  provide: () => Promise<Provider>,
  { describe, it }: TestFunctions,
): void {
  describe('embedding calls', () => {
    if (!fixture) {
      it('are none', async () => assert.equal((await provide()).embeddings, undefined));
      return;
    }
    const calls = async (): Promise<EmbeddingCalls> => (await provide()).embeddings!;
    const target = deepFreeze({ baseUrl: fixture.baseUrl, apiKey: CONTRACT_API_KEY });
    it('builds the request, with the key in a header only', async () => {
      const request = (await calls()).buildRequest(target, deepFreeze(fixture.call));
      assert.deepEqual(request, fixture.request);
      assert.ok(!JSON.stringify([request.url, request.body]).includes(CONTRACT_API_KEY));
      assert.ok(Object.values(request.headers).some((value) => value.includes(CONTRACT_API_KEY)));
    });
    it('reads the vectors, and nothing from any other answer', async () => {
      const { readVectors } = await calls();
      assert.deepEqual(readVectors(deepFreeze(fixture.answer.body)), fixture.answer.vectors);
      for (const value of ODD_VALUES) assert.ok(readVectors(value) === null || readVectors(value)!.length === 0);
    });
  });
}
