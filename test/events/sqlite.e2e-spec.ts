/** The event stream on SQLite. */
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { tempDir } from '../support/spandrel.ts';
import { describeEveryType } from './every-type.ts';
import { describeStreamBasics } from './stream-basics.ts';
import { describeStreamModel } from './stream-model.ts';

let server: ServerApp | undefined;
beforeAll(async () => {
  server = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
});
afterAll(() => server?.close());

describeStreamBasics(() => server!);
describeStreamModel(() => [server!], { runs: 40 });
describeEveryType(async () => ({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }));
