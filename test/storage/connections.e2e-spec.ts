import { describeConnections } from './connections-describe.js';
import { forBothDatabases } from '../support/databases.ts';

forBothDatabases(describeConnections);
