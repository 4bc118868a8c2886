import { tableOf } from '@spandrel/storage';
import {
  EvalResultSchema,
  EvalRunMetadataSchema,
  EvalRunSchema,
  EvalSampleSchema,
  EvalSubmissionSchema,
} from './eval-run.entity.js';

export const evalRunTable = tableOf(EvalRunSchema, ['projectId', 'id']);
export const evalResultTable = tableOf(EvalResultSchema, ['projectId', 'runId', 'datapointId']);
export const evalSampleTable = tableOf(EvalSampleSchema, ['projectId', 'runId', 'datapointId', 'repeat']);
export const evalSubmissionTable = tableOf(EvalSubmissionSchema, ['projectId', 'runId', 'datapointId', 'repeat']);
export const evalRunMetadataTable = tableOf(EvalRunMetadataSchema, ['projectId', 'runId', 'key']);
