import { afterAll, beforeAll } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { describeFuzz } from './describe-fuzz.ts';

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(() => postgres?.stop());

describeFuzz('Postgres', async () => ({ dialect: 'postgres', url: await postgres!.createDatabase('fuzz') }), 7);
