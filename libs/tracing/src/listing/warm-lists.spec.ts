import { describe, expect, it } from '@jest/globals';
import { createLogger, type Scope } from '@spandrel/kernel';
import type { SessionListStore } from './session-list.store.js';
import type { SpanListStore } from './span-list.store.js';
import type { TraceListStore } from './trace-list.store.js';
import { WarmLists } from './warm-lists.js';

type Ask = (name: string, scope: Scope) => Promise<void>;

function warmLists(ask: Ask): WarmLists {
  const store = (name: string): unknown => ({
    list: async (scope: Scope) => {
      await ask(name, scope);
      return { items: [], nextCursor: null };
    },
  });
  const [spans, traces, sessions] = ['spans', 'traces', 'sessions'].map(store);
  return new WarmLists(
    spans as SpanListStore,
    traces as TraceListStore,
    sessions as SessionListStore,
    createLogger('silent', 'test'),
  );
}

describe('lists asked for ahead', () => {
  it('are those of spans, traces and sessions, one after the other, and hold up no start', async () => {
    const asked: string[] = [];
    let open = 0;
    const lists = warmLists(async (name) => {
      expect(open++).toBe(0);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      asked.push(name);
    });
    lists.onApplicationBootstrap();
    expect(asked).toEqual([]);
    while (asked.length < 3) await new Promise((resolve) => setImmediate(resolve));
    await lists.onModuleDestroy();
    expect(asked).toEqual(['spans', 'traces', 'sessions']);
  });

  it('are given up when the server stops, and may fail', async () => {
    const asked: string[] = [];
    const lists = warmLists(
      (name, { signal }) =>
        new Promise((_resolve, reject) => {
          asked.push(name);
          signal!.addEventListener('abort', () => reject(signal!.reason as Error));
        }),
    );
    lists.onApplicationBootstrap();
    await lists.onModuleDestroy();
    expect(asked).toEqual(['spans']);
  });
});
