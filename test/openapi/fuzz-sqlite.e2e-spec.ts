import { join } from 'node:path';
import { tempDir } from '../support/spandrel.ts';
import { describeFuzz } from './describe-fuzz.ts';

describeFuzz('SQLite', async () => ({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }), 4);
