import { Table } from '@spandrel/storage';
import { CaptureRuleSchema, CaptureSchema, CaptureTaskSchema } from './capture/capture-rule.entity.js';
import type { CaptureRow, CaptureRuleRow, CaptureTaskRow } from './capture/capture-rule.entity.js';
import { DatapointSchema, DatasetImportSchema, type DatapointRow, type DatasetImportRow } from './datapoint.entity.js';
import { DatasetSchema, type DatasetRow } from './dataset.entity.js';

export const datasetTable = new Table<DatasetRow>(DatasetSchema, ['projectId', 'id']);
export const datapointTable = new Table<DatapointRow>(DatapointSchema, ['projectId', 'datasetId', 'id', 'fromVersion']);
export const datasetImportTable = new Table<DatasetImportRow>(DatasetImportSchema, ['projectId', 'id']);
export const captureRuleTable = new Table<CaptureRuleRow>(CaptureRuleSchema, ['projectId', 'id']);
export const captureTaskTable = new Table<CaptureTaskRow>(CaptureTaskSchema, ['projectId', 'ruleId', 'spanId']);
export const captureTable = new Table<CaptureRow>(CaptureSchema, ['projectId', 'ruleId', 'spanId']);
