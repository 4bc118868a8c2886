/** The prices in force, as a list (docs/spec/prices.md). */
import { afterEach, describe, expect, it } from '@jest/globals';
import { TracingSettings } from '../../libs/tracing/src/tracing.settings.js';
import type { ModelPrice } from '@spandrel/plugin-api';
import { SQLITE } from '../support/databases.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';

/** Dollars for a million tokens of either kind. */
const each = (dollars: number): ModelPrice => ({ input: dollars, output: dollars });

describe('the prices in force', () => {
  let server: ServerApp | undefined;
  afterEach(() => server?.close());

  it('are listed by model, one by its name or those near to it, page by page', async () => {
    const database = await SQLITE.open().newDatabase('listed');
    server = await startServerApp(database, {
      settings: (of) => void (of.of(TracingSettings).prices = { 'my-own-model': each(1), 'gpt-4o': each(2) }),
    });
    const list = async (query: string) => {
      const { status, body } = await server!.api.get<{
        prices: { model: string; source: string; price: object }[];
        next_cursor: string | null;
      }>(`/api/prices${query}`);
      expect(status).toBe(200);
      return body;
    };
    expect((await list('?model=my-own-model')).prices).toEqual([
      { model: 'my-own-model', source: 'pricing.models', price: { input: 1, output: 1 } },
    ]);
    expect((await list('?model=gpt-4o')).prices).toMatchObject([{ model: 'gpt-4o', price: { input: 2 } }]);
    const near = (await list('?model=OWN-model')).prices.map(({ model }) => model);
    expect(near).toEqual(['my-own-model']);
    expect((await list('?model=my-own-modle')).prices.map(({ model }) => model)).toEqual(['my-own-model']);
    expect((await list('?model=zzzzzzzz')).prices).toEqual([]);
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await list(`?limit=1000${cursor && `&cursor=${cursor}`}`);
      names.push(...page.prices.map(({ model }) => model));
      cursor = page.next_cursor;
    }
    expect(names).toEqual([...new Set(names)].toSorted());
    expect(names).toContain('my-own-model');
    const builtIn = (await list('?model=gpt-4o-mini')).prices[0]!;
    expect(builtIn.source).not.toBe('pricing.models');
  });
});
