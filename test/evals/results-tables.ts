/** Results of a run as CSV and Parquet. */
import { describe, expect, it } from '@jest/globals';
import type { EvalItem } from '@spandrel/contract';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import type { EvalsLab } from './evals-lab.ts';

export function resultsTables(lab: () => EvalsLab): void {
  const bytesOf = async (path: string): Promise<{ type: string | null; bytes: ArrayBuffer }> => {
    const answer = await fetch(`${lab().server.url}${path}`);
    expect(answer.status).toBe(200);
    return { type: answer.headers.get('content-type'), bytes: await answer.arrayBuffer() };
  };
  const csvOf = async (path: string): Promise<Record<string, string>[]> => {
    const { type, bytes } = await bytesOf(`${path}${path.includes('?') ? '&' : '?'}format=csv`);
    expect(type).toMatch(/^text\/csv/);
    return parse(Buffer.from(bytes), { columns: true }) as Record<string, string>[];
  };
  const parquetOf = async (path: string): Promise<Record<string, unknown>[]> => {
    const { type, bytes } = await bytesOf(`${path}${path.includes('?') ? '&' : '?'}format=parquet`);
    expect(type).toBe('application/vnd.apache.parquet');
    return parquetReadObjects({ file: bytes });
  };
  const itemsOf = async (runId: string, query = ''): Promise<EvalItem[]> =>
    (await lab().api.get<{ items: EvalItem[] }>(`/api/eval/${runId}/items?limit=1000${query}`)).body.items;

  /** A run of the caller's, whose scores are those of the sample's number over ten, and of nothing for the last datapoint. */
  async function external(inputs: unknown[], repeats: number): Promise<string> {
    const { id } = await lab().dataset(
      ...inputs.map(
        (input, n) =>
          ({
            Generic: { input, expected_output: `=${n}`, metadata: { category: n % 2 === 0 ? 'legal' : '@home' } },
          }) as never,
      ),
    );
    const { body: run } = await lab().start<{ id: string }>(id, {
      ...{ execution: 'external', scoring: undefined, repeats },
      scorers: [
        { name: 'first', scoring: 'External' },
        { name: 'second.one', scoring: 'External', weight: 0 },
      ],
    });
    const results = (await itemsOf(run.id)).slice(0, -1).flatMap(({ datapoint_id }, n) =>
      Array.from({ length: repeats }, (_, repeat) => ({
        ...{
          datapoint_id,
          repeat,
          output: `-${n}\n"${repeat}"`,
          latency_ms: n * 10 + repeat,
          cost: 0.001,
          input_tokens: n + 1,
        },
        ...{
          scores: { first: { score: ((n + repeat) % 10) / 10, reason: '+reason' }, 'second.one': 1 },
          metadata: { n },
        },
      })),
    );
    await lab().api.post(`/api/eval/${run.id}/results`, { results });
    return run.id;
  }

  describe('results as a table', () => {
    it('are those of the items, in CSV and Parquet, and nothing in CSV is a formula', async () => {
      const inputs = ['=1+1', -5, { a: ['ü'] }, 'plain', null, '@SUM(A1)', 'last'];
      const run = await external(inputs, 1);
      const items = await itemsOf(run);
      const [csv, parquet] = [await csvOf(`/api/eval/${run}/items`), await parquetOf(`/api/eval/${run}/items`)];
      expect(csv.map(({ datapoint_id }) => datapoint_id)).toEqual(items.map(({ datapoint_id }) => datapoint_id));
      expect(csv.map(({ input }) => input)).toEqual(["'=1+1", '-5', '{"a":["ü"]}', 'plain', '', "'@SUM(A1)", 'last']);
      for (const [n, item] of items.entries()) {
        const known = item.score === null ? '' : String(item.score);
        expect(csv[n]).toMatchObject({
          ...{ status: item.status, expected: `'=${n}`, score: known, 'scores.first': known },
          datapoint_metadata: JSON.stringify({ category: n % 2 === 0 ? 'legal' : '@home' }),
        });
        const { output, score, score_reason, latency_ms, cost, expected, status, datapoint_id } = item;
        expect(parquet[n]).toMatchObject({
          ...{ output, score, score_reason, latency_ms, cost, expected, status, datapoint_id },
          input: inputs[n] === null || typeof inputs[n] === 'string' ? inputs[n] : JSON.stringify(inputs[n]),
          tokens: item.tokens === null ? null : BigInt(item.tokens),
          'scores.second.one': item.scores['second.one']?.score ?? null,
          metadata: item.metadata === null ? null : JSON.stringify(item.metadata),
        });
      }
      expect(csv[0]).toMatchObject({ output: `'-0\n"0"`, score_reason: "'+reason", latency_ms: '0', tokens: '1' });
      expect(Object.keys(csv[0]!)).toEqual(Object.keys(parquet[0]!));
    });

    it('are samples where they are asked for, and whole over pages, sorted and filtered as the list is', async () => {
      const inputs = Array.from({ length: 251 }, (_, n) => `question ${n}`);
      const run = await external(inputs, 2);
      const path = `/api/eval/${run}/items`;
      expect([(await csvOf(path)).length, (await csvOf(`${path}?limit=3`)).length]).toEqual([251, 251]);
      const samples = await csvOf(`${path}?include=samples`);
      const items = await itemsOf(run, '&include=samples');
      expect(samples.map(({ datapoint_id, repeat, score }) => [datapoint_id, repeat, score])).toEqual(
        items.flatMap(({ datapoint_id, samples: tries }) =>
          tries!.map(({ repeat, score }) => [datapoint_id, String(repeat), score === null ? '' : String(score)]),
        ),
      );
      expect((await parquetOf(`${path}?include=samples`)).map(({ repeat }) => repeat)).toEqual(
        samples.map(({ repeat }) => BigInt(repeat!)),
      );
      const sorted = await csvOf(`${path}?sort_by=score&sort_order=desc&score_max=0.5`);
      expect(sorted.map(({ datapoint_id }) => datapoint_id)).toEqual(
        (await itemsOf(run, '&sort_by=score&sort_order=desc&score_max=0.5')).map(({ datapoint_id }) => datapoint_id),
      );
      // The worst of two tries is the first one, unless the second is that of the next ten.
      for (const [n, { worst_repeat }] of items.slice(0, -1).entries()) expect(worst_repeat).toBe(n % 10 === 9 ? 1 : 0);
      expect(items.at(-1)!.worst_repeat).toBeNull();
    });

    it('of an unknown run or format are refused, and of a run over nothing have a head alone', async () => {
      expect((await lab().api.get('/api/eval/nothing/items?format=csv')).status).toBe(404);
      const { id } = await lab().dataset();
      const run = await lab().run(id);
      expect((await lab().api.get(`/api/eval/${run.id}/items?format=xlsx`)).status).toBe(400);
      expect(Buffer.from((await bytesOf(`/api/eval/${run.id}/items?format=csv`)).bytes).toString()).toMatch(
        /^datapoint_id,[\w,.]*\n$/,
      );
      expect(await parquetOf(`/api/eval/${run.id}/items`)).toEqual([]);
    });
  });
}
