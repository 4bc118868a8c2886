import { afterAll, beforeAll } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { describeEvals } from './describe-evals.ts';

let postgres: TestPostgres | undefined;
let databases = 0;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

describeEvals('Postgres', async () => ({
  dialect: 'postgres',
  url: await postgres!.createDatabase(`evals${databases++}`),
}));
