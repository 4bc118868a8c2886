import { expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { StorageConfig } from '@spandrel/storage';
import { schemaDifference } from '../../libs/storage/scripts/schema-difference.js';

export function schema(newDatabase: () => Promise<StorageConfig>): void {
  it('has after all migrations exactly the schema of the entities', async () => {
    const difference = await schemaDifference(await newDatabase(), createLogger('silent', 'test'));
    expect(difference).toEqual({ statements: [], byHand: [] });
  });
}
