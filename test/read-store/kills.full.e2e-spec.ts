/** The server killed and the engine crashed under load: the store has every span once, as it is, and none that went. */
import { cpSync } from 'node:fs';
import { afterAll, expect, it } from '@jest/globals';
import type { Api } from '../support/api.ts';
import { CHDB_FOLDER, describeWithClickHouse, startClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import { takeDirectory, type Place, type Program } from '../support/places.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { runSpandrel, tempDir, until } from '../support/spandrel.ts';
import { answered, answersOf, configWith, untilLoaded, write } from './under-load.ts';

/** Rounds on each database; a long run says how many (`SPANDREL_KILL_ROUNDS`). */
const ROUNDS = Number(process.env['SPANDREL_KILL_ROUNDS'] ?? (THOROUGH ? 25 : 2));
const ROUND_MS_MAX = 90_000;

/** Writes until the server is gone. */
async function writeUntilKilled(api: Api, round: number): Promise<void> {
  await write(api, round).catch((error: object) => {
    if ('matcherResult' in error) throw error;
  });
}

/** Whole answers, which the store gave. */
async function answersOfStore(place: Place, { api }: Program): Promise<unknown[]> {
  await untilLoaded(place, api);
  return answersOf(api, null);
}

describeWithClickHouse('ClickHouse under kills', () => {
  describeOnBothDatabases('a read store', ({ name, takePlace }) => {
    let [place, engine]: [Place?, TestClickHouse?] = [];
    afterAll(async () => {
      await place?.close();
      await engine?.crash();
    });

    it(
      `misses, doubles and resurrects nothing in ${ROUNDS} rounds of kills`,
      async () => {
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
          const writers = [0, 1, 2].map((writer) => writeUntilKilled(server.api, 3 * round + writer));
          const confirmed = async () =>
            Number((await place!.rows<{ n: number }>('select max(confirmed) as n from read_store_state'))[0]!.n);
          const before = await confirmed();
          await until(async () => (await confirmed()) > before + 1, 60_000);
          await engine.crash();
          await until(
            async () => !(await answered(server.api, ['/api/count/spans?status=completed'])).by.has(null),
            20_000,
          );
          await engine.start();
          if (round % 2 === 0) await until(async () => (await confirmed()) > before + 2, 60_000);
          await server.stop('SIGKILL');
          await Promise.all(writers);
        }
        const server = await start();
        const stored = await answersOfStore(place, server);
        expect(await server.stop()).toBe(0);
        const alone = await place.start({ command: 'server' });
        expect(stored).toEqual(await answersOf(alone.api));
        expect(await alone.stop()).toBe(0);
      },
      ROUNDS * ROUND_MS_MAX,
    );
  });

  it('is filled again, from the start, in the process of the server', async () => {
    const place = await takeDirectory();
    const path = tempDir();
    const env = { SPANDREL_CONFIG: configWith({ path, installed_in: CHDB_FOLDER }) };
    let server = await place.start({ command: 'server', env });
    const writing = writeUntilKilled(server.api, 0);
    await until(async () => Number((await place.rows<{ n: number }>('select count(*) as n from span'))[0]!.n) > 200);
    await server.stop();
    await writing;
    server = await place.start({ command: 'server', env });
    const stored = await answersOfStore(place, server);
    await server.stop();
    const backup = tempDir();
    cpSync(place.dataDir, backup, { recursive: true });
    server = await place.start({ command: 'server', env });
    let turns = 0;
    await write(server.api, 7, () => ++turns < 20);
    expect(await answersOfStore(place, server)).not.toEqual(stored);
    await server.stop();
    // The earlier database, with the store of now.
    cpSync(backup, place.dataDir, { recursive: true });
    server = await place.start({ command: 'server', env });
    expect(await answersOfStore(place, server)).toEqual(stored);
    expect(server.output()).toContain('the read store is ahead of the database');
    await server.stop();
    // A folder that is lost, as by a restored backup, is noticed although nothing is written.
    const lost = { SPANDREL_CONFIG: configWith({ path: tempDir(), installed_in: CHDB_FOLDER }) };
    server = await place.start({ command: 'server', env: lost });
    expect(await answersOfStore(place, server)).toEqual(stored);
    expect(server.output()).toContain('the read store has lost what it had; it is filled from the start');
    await server.stop();
    server = await place.start({ command: 'server' });
    expect(await answersOf(server.api)).toEqual(stored);
    expect(await server.stop()).toBe(0);
  });
});
