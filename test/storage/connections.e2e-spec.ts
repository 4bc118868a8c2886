import { describeConnections } from './connections-describe.js';
import { DATABASES } from '../support/databases.ts';

DATABASES.forEach(describeConnections);
