import assert from 'node:assert/strict';
import type { Provider, RequestHead } from '../provider.js';
import { deepFreeze, type TestFunctions } from './test-functions.js';
import { describeChatCalls } from './provider-chat-contract.js';
import { describeEmbeddingCalls } from './provider-embedding-contract.js';
import type { ProviderContract } from './provider-fixtures.js';
import { describeReading } from './provider-reading-contract.js';
import { describeRobustness } from './provider-robustness-contract.js';
import { describePlugin, setUpPlugin } from './set-up-plugin.js';

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
