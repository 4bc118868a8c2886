import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { describeTracingStorage } from './describe-tracing-storage.js';

const directory = mkdtempSync(join(tmpdir(), 'spandrel-storage-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describeTracingStorage('SQLite', async (name) => ({ dialect: 'sqlite', file: join(directory, name, 'spandrel.db') }));
