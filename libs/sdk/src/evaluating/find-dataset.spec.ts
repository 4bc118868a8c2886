import { describe, expect, it } from '@jest/globals';
import type { Api } from '../api/client.js';
import type { DatapointKind } from '../api/schema.js';
import { SpandrelError } from '../api/spandrel-error.js';
import { addItems } from './find-dataset.js';

/** A dataset that takes imports; `losing` of them are done, and not answered. */
function dataset(losing = 0) {
  const kinds: DatapointKind[] = [];
  let imports = 0;
  const api = {
    async *pages() {
      for (const kind of kinds) yield { kind };
    },
    importDatapoints({ body }: { body: string }) {
      imports++;
      for (const line of body.split('\n')) {
        const { input, expected, metadata, messages } = JSON.parse(line) as Record<string, never>;
        const common = { metadata: metadata ?? null };
        kinds.push(
          messages === undefined
            ? { Generic: { input, expected_output: expected ?? null, actual_output: 'newest', score: 1, ...common } }
            : { LlmConversation: { messages, expected: expected ?? null, ...common } },
        );
      }
      if (imports > losing) return Promise.resolve({});
      return Promise.reject(new SpandrelError({ status: 0, code: 'unreachable', detail: 'gone' }));
    },
  } as unknown as Api;
  return { api, kinds, importsMade: () => imports };
}

const ITEMS = [
  { input: 'France', expected: 'Paris' },
  { input: { b: 1, a: [1, { d: 1, c: 2 }] }, expected: { x: 1 }, metadata: { tag: 'm' } },
  { input: null },
  { messages: [{ role: 'user', content: 'hi' }], expected: 'hello' },
];

describe('addItems', () => {
  it('adds what is not there, and nothing twice', async () => {
    const { api, kinds, importsMade } = dataset();
    await addItems(api, 'd', ITEMS);
    await addItems(api, 'd', [
      ...ITEMS,
      { input: { a: [1, { c: 2, d: 1 }], b: 1 }, expected: { x: 1 }, metadata: { tag: 'm' } },
    ]);
    await addItems(api, 'd', [{ input: 'France', expected: 'Paris', metadata: {} }]);
    expect(kinds).toHaveLength(4);
    expect(importsMade()).toBe(1);
    await addItems(api, 'd', [{ input: 'France', expected: 'Lyon' }, { input: 'Peru' }, { input: 'Peru' }]);
    expect(kinds.slice(4)).toMatchObject([{ Generic: { expected_output: 'Lyon' } }, { Generic: { input: 'Peru' } }]);
  });

  it('doubles nothing when an import was done and its answer was lost', async () => {
    const { api, kinds, importsMade } = dataset(1);
    await addItems(api, 'd', ITEMS);
    expect(kinds).toHaveLength(4);
    expect(importsMade()).toBe(1);
  });

  it('says which item is no JSON', async () => {
    const { api, kinds } = dataset();
    await expect(addItems(api, 'd', [{ input: 1 }, { input: 1n }])).rejects.toThrow(
      'dataset.items[1] is no JSON: Do not',
    );
    await expect(addItems(api, 'd', [{ input: () => 1 }])).rejects.toThrow(
      'dataset.items[0] has an input that is no JSON',
    );
    expect(kinds).toHaveLength(0);
  });
});
