import type { MigrationObject } from '@mikro-orm/core';
import { Baseline } from './20261126190000-baseline.js';

export const sqliteMigrations: MigrationObject[] = [
  { name: '20261126190000-baseline', class: Baseline },
];
