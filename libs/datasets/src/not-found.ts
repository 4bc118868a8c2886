import { NotFound } from '@spandrel/kernel';

export const datasetNotFound = (): NotFound => new NotFound('dataset_not_found', 'there is no such dataset');

export const datapointNotFound = (): NotFound =>
  new NotFound('datapoint_not_found', 'there is no such datapoint in this dataset');

export const captureRuleNotFound = (): NotFound =>
  new NotFound('capture_rule_not_found', 'there is no such capture rule in this dataset');
