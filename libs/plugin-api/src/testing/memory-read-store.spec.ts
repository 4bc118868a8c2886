import { describe, it } from '@jest/globals';
import { defineReadStore } from '../plugin.js';
import { MemoryReadStore } from './memory-read-store.js';
import { describeReadStoreContract } from './read-store-contract.js';

const plugin = defineReadStore({ name: 'memory', setup: () => new MemoryReadStore() });

describeReadStoreContract(
  { plugin, configs: { accepted: [{}], refused: [] }, provide: async () => new MemoryReadStore() },
  { describe, it },
);
