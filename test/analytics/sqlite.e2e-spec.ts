import { join } from 'node:path';
import { tempDir } from '../support/spandrel.ts';
import { describeAnalytics } from './describe-analytics.js';

describeAnalytics('SQLite', async () => ({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }));
