import { bothDatabases } from '../support/databases.ts';
import { describeConnections } from './connections-describe.js';

for (const [name, newDatabase] of bothDatabases()) describeConnections(name, () => newDatabase('connections'));
