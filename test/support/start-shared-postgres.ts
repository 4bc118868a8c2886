import { SHARED_POSTGRES, startOwnPostgres, type TestPostgres } from './postgres.ts';

let postgres: TestPostgres | undefined;

/** One Postgres for all suites of a run (jest's globalSetup): to start one costs more than many a suite. */
export default async function start(): Promise<void> {
  const started = await startOwnPostgres();
  postgres = started;
  process.env[SHARED_POSTGRES] = started.server;
}

export const stop = async (): Promise<void> => postgres?.stop();
