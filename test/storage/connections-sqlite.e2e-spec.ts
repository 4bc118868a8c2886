import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { describeConnections } from './connections-describe.js';

const directory = mkdtempSync(join(tmpdir(), 'spandrel-connections-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describeConnections('SQLite', async () => ({ dialect: 'sqlite', file: join(directory, 'spandrel.db') }));
