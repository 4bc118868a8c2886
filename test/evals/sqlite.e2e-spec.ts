import { join } from 'node:path';
import { tempDir } from '../support/spandrel.ts';
import { describeEvals } from './describe-evals.ts';

describeEvals('SQLite', async () => ({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }));
