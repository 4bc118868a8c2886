import { afterAll, beforeAll, describe } from '@jest/globals';
import type { StorageConfig } from '@spandrel/storage';
import { ConnectionsApp } from './connections-app.js';
import { connectionCalls } from './connections-calls.js';
import { connectionRotation } from './connections-rotation.js';
import { connectionRules } from './connections-rules.js';

/** What connections do alike on every database. */
export function describeConnections(name: string, newDatabase: () => Promise<StorageConfig>): void {
  describe(`connections on ${name}`, () => {
    let opened: ConnectionsApp | undefined;

    beforeAll(async () => {
      opened = await ConnectionsApp.open(await newDatabase(), { secretKey: Buffer.alloc(32, 5) });
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
