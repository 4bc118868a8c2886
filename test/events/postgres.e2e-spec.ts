/** The event stream on Postgres. */
import { afterAll, beforeAll } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { describeEveryType } from './every-type.ts';
import { describeStreamBasics } from './stream-basics.ts';
import { describeStreamModel } from './stream-model.ts';

let postgres: TestPostgres | undefined;
let server: ServerApp | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
  server = await startServerApp({ dialect: 'postgres', url: await postgres.createDatabase('events') });
}, 60_000);
afterAll(async () => {
  await server?.close();
  await postgres?.stop();
});

describeStreamBasics(() => server!);
describeStreamModel(() => [server!], { runs: 30 });
describeEveryType(async () => ({ dialect: 'postgres', url: await postgres!.createDatabase('every_type') }));
