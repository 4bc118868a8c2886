import { afterAll, beforeAll } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../support/postgres.js';
import { describeConnections } from './connections-describe.js';

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

describeConnections('Postgres', async () => ({
  dialect: 'postgres',
  url: await postgres!.createDatabase('connections'),
}));
