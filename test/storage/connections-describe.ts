import { afterAll, beforeAll } from '@jest/globals';
import { ConnectionsApp } from './connections-app.js';
import { connectionCalls } from './connections-calls.js';
import { connectionRotation } from './connections-rotation.js';
import { connectionRules } from './connections-rules.js';
import { describeOnDatabase, type TestDatabase } from '../support/databases.ts';

/** What connections do alike on every database. */
export function describeConnections(database: TestDatabase): void {
  describeOnDatabase(database, 'connections', ({ newDatabase }) => {
    let opened: ConnectionsApp | undefined;

    beforeAll(async () => {
      opened = await ConnectionsApp.open(await newDatabase('connections'), { secretKey: Buffer.alloc(32, 5) });
    });

    afterAll(async () => {
      await opened?.close();
    });

    const app = (): ConnectionsApp => opened!;
    connectionRules(app);
    connectionCalls(app);
    connectionRotation(() => app().storage);
  });
}
