import assert from 'node:assert/strict';
import type { EmbeddingCalls, Provider } from '../provider.js';
import { deepFreeze, type TestFunctions } from './test-functions.js';
import { ODD_VALUES } from './odd-values.js';
import { CONTRACT_API_KEY, type EmbeddingFixture } from './provider-fixtures.js';

/** Embedding calls of search: the request built, and the answers read, whatever they are. */
export function describeEmbeddingCalls(
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
