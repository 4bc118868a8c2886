/** Names the folder with the SQLite database that others of a run are copies of (migrated-file.ts); none are where it is not set. */
export const MIGRATED_FOLDER = 'SPANDREL_TEST_MIGRATED';
