import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATED_FOLDER } from './migrated-folder.ts';
import { NEW_FILES, SHARED_POSTGRES, startOwnPostgres, type TestPostgres } from './postgres.ts';
import { bundleLibs } from '../runner/bundle-libs.mjs';
import { sharedDocuments } from './shared-documents.ts';

let postgres: TestPostgres | undefined;
const newFiles = join(tmpdir(), `spandrel-pg-new-${process.pid}`);
const migrated = join(tmpdir(), `spandrel-migrated-${process.pid}`);

/** Nobody ends this server in the middle: it need not be ready for that. */
const IN_A_HURRY = ['fsync=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'];

/**
 * What all suites of a run share (jest's globalSetup): one Postgres, as to start one costs more than many a suite,
 * the OpenAPI documents, and bundles of the code.
 */
export default async function start(): Promise<void> {
  await bundleLibs();
  process.env[NEW_FILES] = newFiles;
  process.env[MIGRATED_FOLDER] = migrated;
  const started = await startOwnPostgres(IN_A_HURRY);
  postgres = started;
  process.env[SHARED_POSTGRES] = started.server;
  sharedDocuments.open();
}

export async function stop(): Promise<void> {
  sharedDocuments.close();
  await postgres?.stop();
  for (const folder of [newFiles, migrated]) rmSync(folder, { recursive: true, force: true });
}
