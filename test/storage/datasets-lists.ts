import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DatapointKind, DatapointPreview, DatapointResource } from '@spandrel/contract';
import { ChangeDatapoints, DatapointStore } from '@spandrel/datasets';
import { LOCAL_SCOPE } from '@spandrel/kernel';
import { uploadRaw } from '../support/upload.ts';
import type { DatasetsServer } from './datasets-server.ts';

const generic = (members: object): DatapointKind => ({ Generic: { input: null, ...members } });

/** Lists of datapoints on both databases (docs/spec/datapoints.md#listing-datapoints). */
export function datasetLists(server: () => DatasetsServer): void {
  describe('a list of datapoints', () => {
    let dataset: string;
    let all: DatapointResource[];
    const made: DatapointKind[] = [
      generic({ input: 'Where is Needle?', expected_output: { text: 'here', n: 12 } }),
      {
        LlmConversation: {
          messages: [
            { role: 'system', content: 'be short' },
            { role: 'user', content: [{ type: 'text', text: 'a NEEDLE?' }] },
            { role: 'assistant', content: 'yes' },
          ],
          expected: 'é'.repeat(3),
        },
      },
      generic({ input: { needle: 1 }, expected_output: 'x', score: 0.25, metadata: { needle: true } }),
      generic({ input: [1, 2], metadata: { note: 'a needle in metadata' } }),
      generic({ input: 'plain', actual_output: 'an old needle' }),
    ];

    beforeAll(async () => {
      dataset = await server().create('lists');
      for (const kind of made) await server().api.post(`/api/datasets/${dataset}/datapoints`, { kind });
      const rows = '{"input":"imported needle"}\n{"input":"imported"}\n';
      await uploadRaw(server().url, dataset, 'application/x-ndjson', rows);
      const ids = (await server().datapoints(dataset)).map(({ id }) => id);
      // The newest result of a run stands for what the datapoint said before.
      const result = { id: ids[4]!, output: '"a new pin"', score: 0.5, now: Date.now() };
      const { storage, app } = server();
      await storage.write((tx) => app.get(DatapointStore).writeResults(tx, LOCAL_SCOPE, dataset, [result]));
      all = await server().datapoints(dataset);
    });

    const path = (query: string): string => `/api/datasets/${dataset}/datapoints?${query}`;
    /** Every item of the list, page by page. */
    const pages = async <Item = DatapointResource>(query: string, limit: number): Promise<Item[]> => {
      const items: Item[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { status, body }: { status: number; body: { datapoints: Item[]; next_cursor: string | null } } =
          await server().api.get(path(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`));
        expect([status, body.datapoints.length]).toEqual([200, Math.min(body.datapoints.length, limit)]);
        items.push(...body.datapoints);
        cursor = body.next_cursor;
      }
      return items;
    };

    it.each([1, 2, 1_000])('goes either way, %i at a time', async (limit) => {
      expect(await pages('sort_order=asc', limit)).toEqual(all);
      expect(await pages('sort_order=desc', limit)).toEqual(all.toReversed());
    });

    it.each([
      ['needle', [0, 1, 3, 5]],
      ['NEEDLE?', [0, 1]],
      ['12', [0]],
      ['true', [2]],
      ['0.25', [2]],
      ['pin', [4]],
      ['an old', []],
      ['0.5', []],
      ['expected_output', []],
      ['user', [1]],
      ['éé', [1]],
      ['%', []],
      ['\0', []],
      ['', [0, 1, 2, 3, 4, 5, 6]],
    ])('finds %j in values', async (text, places) => {
      const query = `text_contains=${encodeURIComponent(text)}`;
      for (const limit of [2, 1_000]) {
        expect(await pages(query, limit)).toEqual(places.map((place) => all[place]));
        expect(await pages(`${query}&sort_order=desc`, limit)).toEqual(places.toReversed().map((place) => all[place]));
      }
    });

    it('finds by source, which goes with the other filters', async () => {
      expect(await pages('source=file_upload', 1)).toEqual(all.slice(5));
      expect(await pages('source=manual', 2)).toEqual(all.slice(0, 5));
      expect(await pages('source=span_export', 2)).toEqual([]);
      expect(await pages('source=file_upload&text_contains=needle', 2)).toEqual([all[5]]);
    });

    it('shows beginnings in place of kinds when asked for', async () => {
      const shown = (datapoint: DatapointResource, members: object) => {
        const { kind, ...others } = datapoint;
        return { ...others, variant: Object.keys(kind)[0], kind_bytes: expect.any(Number), ...members };
      };
      const none = { expected_preview: null, actual_preview: null, score: null };
      const previews = [
        shown(all[0]!, { ...none, input_preview: 'Where is Needle?', expected_preview: 'here' }),
        shown(all[1]!, { ...none, input_preview: 'a NEEDLE?', expected_preview: 'ééé' }),
        shown(all[2]!, { ...none, input_preview: '{"needle":1}', expected_preview: 'x', score: 0.25 }),
        shown(all[3]!, { ...none, input_preview: '[1,2]' }),
        shown(all[4]!, { ...none, input_preview: 'plain', actual_preview: 'a new pin', score: 0.5 }),
        shown(all[5]!, { ...none, input_preview: 'imported needle' }),
        shown(all[6]!, { ...none, input_preview: 'imported' }),
      ];
      expect(await pages('preview=2000', 3)).toEqual(previews);
      expect(await pages('preview=2000&text_contains=pin&sort_order=desc', 3)).toEqual([previews[4]]);
      const [cut] = await pages<DatapointPreview>('preview=2', 1);
      expect(cut).toMatchObject({ input_preview: 'Wh', expected_preview: 'he' });
      const bytes = Buffer.byteLength(JSON.stringify(made[1]));
      expect((await pages<DatapointPreview>('preview=1', 7))[1]).toMatchObject({ kind_bytes: bytes });
      expect(await pages('preview=0', 7)).toEqual(all);
    });

    it('shows the beginning of what is large', async () => {
      const large = await server().create();
      const input = '\u{1f600}"'.repeat(300_000);
      const kind = { Generic: { input, expected_output: 'y' } };
      const messages = [{ role: 'user', content: input }];
      for (const one of [kind, { LlmConversation: { messages } }]) {
        expect((await server().api.post(`/api/datasets/${large}/datapoints`, { kind: one })).status).toBe(201);
      }
      const [first] = await server().datapoints(large);
      const result = { id: first!.id, output: JSON.stringify(input), score: 1, now: Date.now() };
      const { storage, app } = server();
      await storage.write((tx) => app.get(DatapointStore).writeResults(tx, LOCAL_SCOPE, large, [result]));
      const { body } = await server().api.get<{ datapoints: DatapointPreview[] }>(
        `/api/datasets/${large}/datapoints?preview=16`,
      );
      expect(body.datapoints).toMatchObject([
        {
          variant: 'Generic',
          kind_bytes: Buffer.byteLength(JSON.stringify(kind)),
          input_preview: '{"input":"\u{1f600}\\"\u{1f600}\\"',
          expected_preview: null,
          actual_preview: '"\u{1f600}\\"\u{1f600}\\"\u{1f600}\\"\u{1f600}\\"\u{1f600}\\"',
          score: 1,
        },
        { variant: 'LlmConversation', input_preview: '{"messages":[{"r', actual_preview: null, score: null },
      ]);
    });

    it('keeps its pages while datapoints come and go', async () => {
      const changing = await server().create();
      const { storage, app } = server();
      const add = (ids: readonly string[]) => {
        const added = ids.map((id) => ({
          id,
          kind: generic({ input: 'hit' }),
          source: 'manual' as const,
          sourceSpanId: null,
        }));
        return storage.write((tx) => app.get(ChangeDatapoints).add(tx, LOCAL_SCOPE, changing, added, Date.now()));
      };
      await add(['b', 'c', 'd', 'e']);
      const next = async (cursor = ''): Promise<{ ids: string[]; cursor: string | null }> => {
        const query = `text_contains=hit&sort_order=desc&limit=2${cursor && `&cursor=${cursor}`}`;
        const { body } = await server().api.get<{ datapoints: DatapointResource[]; next_cursor: string | null }>(
          `/api/datasets/${changing}/datapoints?${query}`,
        );
        return { ids: body.datapoints.map(({ id }) => id), cursor: body.next_cursor };
      };
      const first = await next();
      await add(['f']);
      await server().api.delete(`/api/datasets/${changing}/datapoints/d`);
      const second = await next(first.cursor!);
      expect([first.ids, second]).toEqual([['e', 'd'], { ids: ['c', 'b'], cursor: null }]);
    });

    it('refuses what it does not know, and cursors of another order', async () => {
      const { body } = await server().api.get<{ next_cursor: string }>(path('limit=1&sort_order=desc'));
      const other = await server().api.get(path(`cursor=${body.next_cursor}`));
      expect(other.body.code).toBe('invalid_cursor');
      for (const query of ['source=x', 'sort_order=up', 'preview=2001', 'preview=-1']) {
        expect((await server().api.get(path(query))).body.code).toBe('validation_failed');
      }
    });
  });
}
