import assert from 'node:assert/strict';
import type { HttpRequest, Provider } from '../provider.js';
import { deepFreeze, type TestFunctions } from './test-functions.js';
import { CONTRACT_API_KEY, type ChatFixture } from './provider-fixtures.js';

/** Chat calls of evaluations: the requests built, and the answers read. */
export function describeChatCalls(
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
