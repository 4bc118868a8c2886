import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ReadStore } from '@spandrel/plugin-api';
import { describeReadStoreContract, setUpPlugin } from '@spandrel/plugin-api/testing';
import clickhouse from '../../plugins/read-stores/clickhouse/index.js';
import { describeWithClickHouse, startClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { POSTGRES, SQLITE } from '../support/databases.ts';
import { repetitions } from '../support/repetitions.ts';
import { assertAlwaysEqual, openWithStore } from './equality.ts';

describeWithClickHouse('ClickHouse', () => {
  let [server, store]: [TestClickHouse?, ReadStore?] = [];

  beforeAll(async () => {
    server = await startClickHouse();
    store = await setUpPlugin(clickhouse, { url: server.url });
  });
  afterAll(async () => {
    await store?.close();
    await server?.crash();
  });

  describeReadStoreContract(
    {
      plugin: clickhouse,
      configs: {
        accepted: [
          { url: 'http://127.0.0.1:8123' },
          { url: 'https://ch', username: 'u', password: 'p', database: 'd' },
        ],
        refused: [{}, { url: 'http://ch', path: '/data' }, { url: 'http://ch', database: 'a-b' }],
      },
      provide: async () => store!,
    },
    { describe, it },
  );

  it.each([SQLITE, POSTGRES])(
    'gives the same lists and counts as $name, whatever is written, deleted and loaded',
    async ({ name, open }) => {
      const { newDatabase, drop } = open();
      const config = { url: server!.url, database: `of_${name}` };
      const app = await openWithStore(await newDatabase('clickhouse'), 'clickhouse', { use: 'clickhouse', config });
      try {
        await assertAlwaysEqual(app, repetitions(6), 3);
        const { text } = await app.metrics();
        expect(text).toMatch(/spandrel_read_store_lists_total\{answered="store"\} [1-9]/);
        expect(text).toMatch(/spandrel_read_store_lists_total\{answered="off"\} [01]$/m);
      } finally {
        await app.close();
        await drop();
      }
    },
  );
});
