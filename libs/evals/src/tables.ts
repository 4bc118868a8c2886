import { Table } from '@spandrel/storage';
import { EvalResultSchema, EvalRunSchema, type EvalResultRow, type EvalRunRow } from './eval-run.entity.js';

export const evalRunTable = new Table<EvalRunRow>(EvalRunSchema, ['projectId', 'id']);
export const evalResultTable = new Table<EvalResultRow>(EvalResultSchema, ['projectId', 'runId', 'datapointId']);
