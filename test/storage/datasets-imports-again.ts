import { describe, expect, it } from '@jest/globals';
import type { DatapointResource, ImportResult, Problem } from '@spandrel/contract';
import { uploadRaw } from '../support/upload.ts';
import type { DatasetsServer } from './datasets-server.ts';

const line = (row: object): string => `${JSON.stringify(row)}\n`;
const lines = (...inputs: string[]): string => inputs.map((input) => line({ input, expected: `${input}!` })).join('');

/** Rows that the dataset of an import has already. */
export function datasetImportsAgain(server: () => DatasetsServer): void {
  const send = async <Body = ImportResult>(id: string, content: string, query?: string): Promise<Body> =>
    (await uploadRaw(server().url, id, 'application/x-ndjson', content, query === undefined ? {} : { query }))
      .body as Body;
  const inputsOf = async (id: string): Promise<unknown[]> =>
    (await server().datapoints(id)).map(({ kind }) => ('Generic' in kind ? kind.Generic.input : kind));

  describe('an import of rows that are there already', () => {
    it('says so, and takes them once more', async () => {
      const id = await server().create();
      expect(await send(id, lines('a', 'a', 'b'))).not.toHaveProperty('duplicates');
      expect(await send(id, lines('a', 'c'))).toMatchObject({ imported: 2, duplicates: 1 });
      expect(await inputsOf(id)).toEqual(['a', 'a', 'b', 'a', 'c']);
    });

    it('leaves them out with dedupe, by their content without results and order of members', async () => {
      const id = await server().create();
      const rows = [
        { input: { a: 1, b: [2] }, expected: 'x', metadata: { k: 1 } },
        { messages: [{ role: 'user', content: 'hi' }], expected: 'y' },
      ];
      await send(id, rows.map(line).join(''));
      const before = await server().dataset(id);
      const again = [
        { metadata: { k: 1 }, expected_output: 'x', input: { b: [2], a: 1 }, actual_output: 'a result', score: 0.5 },
        rows[1]!,
      ];
      expect(await send(id, again.map(line).join(''), 'dedupe=true')).toMatchObject({ imported: 0, duplicates: 2 });
      expect(await server().dataset(id)).toEqual(before);
      const others = [
        { ...rows[0]!, metadata: { k: 2 } },
        { ...rows[0]!, expected: 'z' },
        { ...rows[0]!, metadata: { k: 2 } },
      ];
      expect(await send(id, others.map(line).join(''), 'dedupe=true')).toMatchObject({ imported: 2, duplicates: 1 });
      expect((await server().dataset(id)).datapoint_count).toBe(4);
    });

    it('leaves out and replaces what another import brings at the same time', async () => {
      const id = await server().create();
      const twice = (content: string, query: string) => Promise.all([1, 2].map(() => send(id, content, query)));
      const added = await twice(lines('a', 'b', 'c'), 'dedupe=true');
      expect(added.map(({ imported }) => imported).toSorted()).toEqual([0, 3]);
      expect(await inputsOf(id)).toEqual(['a', 'b', 'c']);
      await twice(lines('x', 'y'), 'replace=true');
      expect(await inputsOf(id)).toEqual(['x', 'y']);
    });

    it('makes the dataset what the file is with replace: what it has stays, with id and result', async () => {
      const id = await server().create();
      await send(id, lines('a', 'b', 'b', 'c'));
      const [a, b] = (await server().datapoints(id)) as [DatapointResource, DatapointResource];
      const before = await server().dataset(id);
      // A result is no content.
      await server().api.send('PUT', `/api/datasets/${id}/datapoints/${a.id}`, {
        kind: { Generic: { input: 'a', expected_output: 'a!', actual_output: 'said', score: 1 } },
      });
      expect(await send(id, lines('b', 'd', 'a', 'd'), 'replace=true')).toMatchObject({
        imported: 4,
        duplicates: 2,
        removed: 2,
      });
      expect(await inputsOf(id)).toEqual(['a', 'b', 'd', 'd']);
      const after = await server().datapoints(id);
      expect(after.slice(0, 2).map((datapoint) => datapoint.id)).toEqual([a.id, b.id]);
      expect(after[0]!.kind).toMatchObject({ Generic: { actual_output: 'said', score: 1 } });
      const dataset = await server().dataset(id);
      expect([dataset.datapoint_count, dataset.version > before.version]).toEqual([4, true]);
      // A file that comes again changes nothing.
      expect(await send(id, lines('b', 'd', 'a', 'd'), 'replace=true')).toMatchObject({
        imported: 4,
        duplicates: 4,
        removed: 0,
      });
      expect(await server().dataset(id)).toEqual(dataset);
      // Some go, and none is new; each once with dedupe.
      expect(await send(id, lines('d', 'd'), 'replace=true&dedupe=true')).toMatchObject({ removed: 2 });
      expect(await inputsOf(id)).toEqual(['d', 'd']);
    });

    it('replaces nothing by a file that is refused, or has no rows', async () => {
      const id = await server().create();
      await send(id, lines('a', 'b'));
      const before = await server().dataset(id);
      for (const [content, query] of [
        [`${lines('c')}[]\n`, 'replace=true'],
        ['{}\n', 'replace=true'],
        [lines('c'), 'replace=perhaps'],
      ]) {
        expect(await send<Problem>(id, content!, query)).toMatchObject({ status: 400, code: 'validation_failed' });
      }
      expect([await server().dataset(id), await inputsOf(id)]).toEqual([before, ['a', 'b']]);
    });

    it('replaces many in the order of the file, in one version that snapshots have or have not', async () => {
      const id = await server().create();
      const many = Array.from({ length: 2_500 }, (_, n) => `old ${n}`);
      await send(id, lines(...many));
      const result = await send(id, lines(...many.slice(2_400), 'new 1', 'new 2'), 'replace=true');
      expect(result).toMatchObject({ imported: 102, duplicates: 100, removed: 2_400 });
      expect(await inputsOf(id)).toEqual([...many.slice(2_400), 'new 1', 'new 2']);
      expect(await server().rowsOf(id)).toMatchObject({ datapoints: 102 });
    });
  });
}
