/** The server killed while it compares old texts and gives them away: whatever was done by then, each text is had. */
import { afterAll, expect, it } from '@jest/globals';
import { DAY_MS } from '@spandrel/storage';
import type { Api } from '../support/api.ts';
import { describeWithClickHouse, startClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import type { Place } from '../support/places.ts';
import { runSpandrel, until } from '../support/spandrel.ts';
import { configWith } from './under-load.ts';

const DAYS = [2, 3, 4];
const SPANS = 1_200;
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
/** Moments at which the server is killed: something compared, agreed, and given away, or later, as days go on between two looks. */
const MOMENTS = [
  'select count(*) as n from read_store_day where state >= 1',
  'select count(*) as n from read_store_day where state >= 2',
  'select count(*) as n from span_payload where cold_digest is not null',
];

const ingest = async (api: Api, day: number, output: string, count: number): Promise<void> => {
  const trace_id = `t${day}`;
  const spans = Array.from({ length: count }, (_, at) => {
    const started_at = new Date(NOON - day * DAY_MS + at).toISOString();
    return {
      id: `${trace_id}-${at}`,
      trace_id,
      name: 'work',
      status: 'completed',
      started_at,
      ended_at: started_at,
      output,
    };
  });
  expect((await api.post('/api/ingest', { traces: [{ id: trace_id }], spans })).status).toBe(200);
};

const traces = (api: Api) =>
  Promise.all(
    DAYS.map(async (day) => {
      const { status, body } = await api.get<{ spans: unknown[] }>(`/api/traces/t${day}?view=full`);
      return { status, spans: body.spans };
    }),
  );

describeWithClickHouse('old texts under kills', () => {
  describeOnBothDatabases('a server that gives them away', ({ name, takePlace }) => {
    let [place, engine]: [Place?, TestClickHouse?] = [];
    afterAll(async () => {
      await place?.close();
      await engine?.crash();
    });

    it('loses none', async () => {
      [place, engine] = [await takePlace(), await startClickHouse()];
      const SPANDREL_CONFIG = configWith({ url: engine.url, database: `cold_${name}` }, { retention: { hot_days: 1 } });
      const start = () =>
        place!.start({ command: 'server', env: { SPANDREL_CONFIG, SPANDREL_RETENTION_INTERVAL: '1' } });
      const numberOf = async (query: string) => Number((await place!.rows<{ n: number }>(query))[0]!.n);
      let server = await start();
      for (const day of DAYS) await ingest(server.api, day, 'first', SPANS);
      if (place.mode === 'cloud') {
        await runSpandrel(['read-store', 'rebuild', '--data-dir', place.dataDir], { ...place.env, SPANDREL_CONFIG });
      }
      for (const [round, moment] of MOMENTS.entries()) {
        await until(async () => (await numberOf(moment)) > 0, 60_000);
        await server.stop('SIGKILL');
        server = await start();
        // Some texts are written again, so that a day is compared once more.
        await ingest(server.api, DAYS[round]!, `later ${round}`, 10);
      }
      const before = await traces(server.api);
      expect(before.map(({ status, spans }) => [status, spans.length])).toEqual(DAYS.map(() => [200, SPANS]));
      await until(
        async () => (await numberOf('select count(*) as n from span_payload where output is not null')) === 0,
        90_000,
      );
      expect(await traces(server.api)).toEqual(before);
      expect(await numberOf('select count(*) as n from read_store_day where state = 4')).toBe(0);
      const outputs = before.flatMap(({ spans }) => (spans as { output: string }[]).map(({ output }) => output));
      expect(outputs.filter((output) => output === 'first')).toHaveLength(DAYS.length * (SPANS - 10));
      await engine.crash();
      const { status, body } = await server.api.get('/api/spans/t2-500');
      expect([status, body.code]).toEqual([503, 'texts_unavailable']);
      await engine.start();
      await until(async () => (await server.api.get('/api/spans/t2-500')).status === 200, 20_000);
      expect(await server.stop()).toBe(0);
    });
  });
});
