import { Table } from '@spandrel/storage';
import { RollupSchema, type RollupRow } from './rollup.entity.js';

export const rollupTable = new Table<RollupRow>(RollupSchema, [
  'projectId',
  'grain',
  'bucket',
  'model',
  'provider',
  'status',
  'llm',
]);
