/** The event stream on both databases. */
import { afterAll, beforeAll } from '@jest/globals';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { describeEveryType } from './every-type.ts';
import { describeStreamBasics } from './stream-basics.ts';
import { describeStreamModel } from './stream-model.ts';
import { repetitions } from '../support/repetitions.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

describeOnBothDatabases('the event stream', ({ newDatabase }) => {
  let server: ServerApp | undefined;
  beforeAll(async () => {
    server = await startServerApp(await newDatabase('events'));
  });
  afterAll(() => server?.close());

  describeStreamBasics(() => server!);
  describeStreamModel(() => [server!], { runs: repetitions(30) });
  describeEveryType(() => newDatabase('every_type'));
});
