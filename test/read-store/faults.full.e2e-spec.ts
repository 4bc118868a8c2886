/** An engine that fails in each way while spans are written: writes go on, answers are the database's, all heals by itself. */
import { rmSync } from 'node:fs';
import { afterAll, expect, it } from '@jest/globals';
import { describeWithClickHouse, startClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { describeOnBothDatabases } from '../support/databases.ts';
import type { Place } from '../support/places.ts';
import { runSpandrel, until } from '../support/spandrel.ts';
import { answered, answersOf, configWith, untilLoaded, write } from './under-load.ts';

describeWithClickHouse('a read store under load', () => {
  describeOnBothDatabases('whose engine fails', ({ name, takePlace }) => {
    let [place, engine]: [Place?, TestClickHouse?] = [];
    afterAll(async () => {
      engine?.signal('SIGCONT');
      await place?.close();
      await engine?.crash();
    });

    it('loses no write, answers exactly, says what it is, and is filled again', async () => {
      [place, engine] = [await takePlace(), await startClickHouse()];
      const { url, crash, start, signal, path } = engine;
      const database = `faults_${name}`;
      const SPANDREL_CONFIG = configWith({ url, database, password: 'secret', timeout_seconds: 4 });
      const server = await place.start({ command: 'server', env: { SPANDREL_CONFIG } });
      if (place.mode === 'cloud') {
        const env = { ...place.env, SPANDREL_CONFIG };
        expect(await runSpandrel(['read-store', 'rebuild'], env)).toMatchObject({ code: 0 });
      }
      const ask = async (statement: string): Promise<void> => {
        const response = await fetch(url, { method: 'POST', body: statement });
        expect([statement, response.status, await response.text()]).toEqual([statement, 200, '']);
      };
      /** Each with what it is, how it ends, and what the log says. */
      const faults: [does: () => unknown, ends: () => unknown, says: string][] = [
        [crash, start, 'ECONNREFUSED'],
        [() => signal('SIGSTOP'), () => signal('SIGCONT'), 'did not answer within 6 s'],
        [
          () =>
            ask(
              `ALTER TABLE ${database}.spans MODIFY SETTING min_free_disk_bytes_to_perform_insert = 1000000000000000`,
            ),
          () => ask(`ALTER TABLE ${database}.spans RESET SETTING min_free_disk_bytes_to_perform_insert`),
          'enough free space',
        ],
        [() => ask(`DROP DATABASE ${database} SYNC`), () => undefined, 'has lost what it had'],
        [() => ask(`DROP TABLE ${database}.spans SYNC`), () => undefined, 'has lost what it had'],
        [
          async () => {
            await crash();
            rmSync(path, { recursive: true });
            await start();
          },
          () => undefined,
          'has lost what it had',
        ],
        [
          () => crash().then(() => start('another')),
          () => crash().then(() => start('secret')),
          'Authentication failed',
        ],
      ];
      const writing = { goesOn: true };
      const writers = [0, 1].map((writer) => write(server.api, writer, () => writing.goesOn));
      const failed = Promise.all(writers);
      const waited = async (condition: () => Promise<boolean> | boolean, what: string): Promise<void> => {
        const waiting = until(
          condition,
          90_000,
          () =>
            `${what}\n${server
              .output()
              .replace(/^(?!.*read store).*\n/gm, '')
              .slice(-4_000)}`,
        );
        await Promise.race([waiting, failed.then(() => waiting)]);
      };
      const isAsked = async () => (await answered(server.api, ['/api/count/spans?status=completed'])).by.has(null);
      for (const [at, [does, ends, says]] of faults.entries()) {
        await waited(isAsked, `not asked before fault ${at}`);
        const said = server.output().length;
        await does();
        const isSaid = async () => (await isAsked(), server.output().slice(said).includes(says));
        await waited(isSaid, `fault ${at}: not said: ${says}`);
        await answersOf(server.api);
        await ends();
      }
      await waited(isAsked, 'not asked behind all');
      writing.goesOn = false;
      await failed;
      await untilLoaded(place, server.api);
      const stored = await answersOf(server.api, null);
      expect(await server.stop()).toBe(0);
      const alone = await place.start({ command: 'server' });
      expect(stored).toEqual(await answersOf(alone.api));
      expect(await alone.stop()).toBe(0);
    }, 600_000);
  });
});
