import type { MigrationObject } from '@mikro-orm/core';
import { TracesAndSpans } from './20261120124038-traces-and-spans.js';

export const sqliteMigrations: MigrationObject[] = [
  { name: '20261120124038-traces-and-spans', class: TracesAndSpans },
];
