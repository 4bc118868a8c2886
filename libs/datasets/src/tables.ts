import { tableOf } from '@spandrel/storage';
import { CaptureRuleSchema, CaptureSchema, CaptureTaskSchema } from './capture/capture-rule.entity.js';
import { DatapointSchema, DatasetImportSchema } from './datapoint.entity.js';
import { DatasetSchema } from './dataset.entity.js';

export const datasetTable = tableOf(DatasetSchema, ['projectId', 'id']);
export const datapointTable = tableOf(DatapointSchema, ['projectId', 'datasetId', 'id', 'fromVersion']);
export const datasetImportTable = tableOf(DatasetImportSchema, ['projectId', 'id']);
export const captureRuleTable = tableOf(CaptureRuleSchema, ['projectId', 'id']);
export const captureTaskTable = tableOf(CaptureTaskSchema, ['projectId', 'ruleId', 'spanId']);
export const captureTable = tableOf(CaptureSchema, ['projectId', 'ruleId', 'spanId']);
