import { tableOf } from '@spandrel/storage';
import { RollupSchema } from './rollup.entity.js';

export const rollupTable = tableOf(RollupSchema, [
  'projectId',
  'grain',
  'bucket',
  'model',
  'provider',
  'status',
  'llm',
]);
