import { SHARED_POSTGRES, startOwnPostgres, type TestPostgres } from './postgres.ts';

let postgres: TestPostgres | undefined;

/** Nobody ends this server in the middle: it need not be ready for that. */
const IN_A_HURRY = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'];

/** One Postgres for all suites of a run (jest's globalSetup): to start one costs more than many a suite. */
export default async function start(): Promise<void> {
  const started = await startOwnPostgres(IN_A_HURRY);
  postgres = started;
  process.env[SHARED_POSTGRES] = started.server;
}

export const stop = async (): Promise<void> => postgres?.stop();
