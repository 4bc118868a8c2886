/** The server killed and the engine crashed under load: the store has every span once, as it is, and none that went. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import type { SpanResource } from '@spandrel/contract';
import type { Api } from '../support/api.ts';
import { CHDB_FOLDER, describeWithClickHouse, startClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import type { Place, Program } from '../support/places.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { runSpandrel, tempDir, until } from '../support/spandrel.ts';

const ROUNDS = THOROUGH ? 25 : 2;
const HEADER = 'x-spandrel-read-store';

/** A file of settings with the store. */
function configWith(config: object): string {
  const file = join(tempDir(), 'read-store.json');
  writeFileSync(
    file,
    JSON.stringify({ plugins: [{ use: 'clickhouse', config }], read_store: { plugin: 'clickhouse' } }),
  );
  return file;
}

/** Writes, corrects and deletes until the server is gone. */
async function write(api: Api, round: number): Promise<void> {
  try {
    for (let turn = 0; ; turn++) {
      const trace = `t${round}-${turn % 7}`;
      const spans = Array.from({ length: 20 }, (_, at) => ({
        ...{ id: `${trace}-${(turn * 5 + at) % 60}`, trace_id: trace, name: `turn ${turn}`, status: 'completed' },
        output: `round ${round} turn ${turn}`,
      }));
      await api.post('/api/ingest', { traces: [{ id: trace }], spans });
      if (turn % 3 === 1) await api.delete(`/api/spans/${spans[0]!.id}`);
      if (turn % 11 === 10) await api.delete(`/api/traces/t${round}-${(turn + 3) % 7}`);
    }
  } catch {
    // The server was killed.
  }
}

async function listed(api: Api, query: string): Promise<{ spans: string[]; by: Set<string | null> }> {
  const [spans, by]: [string[], Set<string | null>] = [[], new Set()];
  for (let cursor = ''; ;) {
    const { body, headers } = await api.get<{ spans: SpanResource[]; next_cursor: string | null }>(
      `/api/spans?limit=500&${query}${cursor}`,
    );
    spans.push(...body.spans.map(({ id, name }) => `${id} ${name}`));
    by.add(headers.get(HEADER));
    if (body.next_cursor === null) return { spans, by };
    cursor = `&cursor=${body.next_cursor}`;
  }
}

const rowsOf = (place: Place): Promise<{ id: string; name: string }[]> => place.rows('select id, name from span');

/** Waits until everything is loaded; then lists are whole, and the store gave them. */
async function expectWhole(place: Place, { api }: Program): Promise<void> {
  const waiting = async () =>
    Number((await place.rows<{ n: number }>('select count(*) as n from read_store_change'))[0]!.n);
  await until(
    async () => (await waiting()) === 0,
    90_000,
    () => 'the store was not filled',
  );
  const expected = (await rowsOf(place)).map(({ id, name }) => `${id} ${name}`).toSorted();
  await until(async () => (await listed(api, 'name_contains=turn')).by.has(null), 20_000);
  const { spans, by } = await listed(api, 'name_contains=turn&sort_by=name');
  expect(spans.toSorted()).toEqual(expected);
  expect([...by]).toEqual([null]);
  expect((await api.get<{ count: number }>('/api/count/spans')).body.count).toBe(expected.length);
}

describeWithClickHouse('ClickHouse under kills', () => {
  describeOnBothDatabases('a read store', ({ name, takePlace }) => {
    let [place, engine]: [Place?, TestClickHouse?] = [];
    afterAll(async () => {
      await place?.close();
      await engine?.crash();
    });

    it(`misses, doubles and resurrects nothing in ${ROUNDS} rounds of kills`, async () => {
      [place, engine] = [await takePlace(), await startClickHouse()];
      const file = configWith({ url: engine.url, database: `kills_${name}` });
      const start = () => place!.start({ command: 'server', env: { SPANDREL_CONFIG: file } });
      const env = { ...place.env, SPANDREL_CONFIG: file };
      if (place.mode === 'cloud') {
        await (await start()).stop();
        const { output } = await runSpandrel(['read-store', 'rebuild', '--data-dir', place.dataDir], env);
        expect(output).toContain('The servers fill the read store from the start');
      }
      for (let round = 0; round < ROUNDS; round++) {
        const server = await start();
        const writers = [0, 1, 2].map((writer) => write(server.api, 3 * round + writer));
        const confirmed = async () =>
          Number((await place!.rows<{ n: number }>('select max(confirmed) as n from read_store_state'))[0]!.n);
        const before = await confirmed();
        await until(async () => (await confirmed()) > before + 1, 60_000);
        await engine.crash();
        await until(async () => !(await listed(server.api, 'status=completed')).by.has(null), 20_000);
        await engine.start();
        if (round % 2 === 0) await until(async () => (await confirmed()) > before + 2, 60_000);
        await server.stop('SIGKILL');
        await Promise.all(writers);
      }
      const server = await start();
      await expectWhole(place, server);
      expect(await server.stop()).toBe(0);
    });
  });

  it('is filled again, from the start, in the process of the server', async () => {
    const { takeDirectory } = await import('../support/places.ts');
    const place = await takeDirectory();
    const path = tempDir();
    const env = { SPANDREL_CONFIG: configWith({ path, installed_in: CHDB_FOLDER }) };
    let server = await place.start({ command: 'server', env });
    const writing = write(server.api, 0);
    await until(async () => (await rowsOf(place)).length > 200);
    await server.stop();
    await writing;
    server = await place.start({ command: 'server', env });
    await expectWhole(place, server);
    await server.stop();
    // A folder that is lost, as by a restored backup.
    const lost = { SPANDREL_CONFIG: configWith({ path: tempDir(), installed_in: CHDB_FOLDER }) };
    server = await place.start({ command: 'server', env: lost });
    expect(
      (await server.api.post('/api/spans', { trace_id: (await server.api.traces())[0]!.id, name: 'turn last' })).status,
    ).toBe(201);
    await expectWhole(place, server);
    expect(await server.stop()).toBe(0);
  });
});
