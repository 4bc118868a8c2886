import { afterAll, beforeAll } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../support/postgres.js';
import { describeTracingStorage } from './describe-tracing-storage.js';

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

describeTracingStorage('Postgres', async (name) => ({
  dialect: 'postgres',
  url: await postgres!.createDatabase(name),
}));
