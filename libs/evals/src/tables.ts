import { tableOf } from '@spandrel/storage';
import { EvalResultSchema, EvalRunSchema } from './eval-run.entity.js';

export const evalRunTable = tableOf(EvalRunSchema, ['projectId', 'id']);
export const evalResultTable = tableOf(EvalResultSchema, ['projectId', 'runId', 'datapointId']);
