import { NotFound } from '@spandrel/kernel';

export const datasetNotFound = (): NotFound =>
  new NotFound('dataset_not_found', 'there is no dataset with this id; GET /api/datasets lists them');

export const datapointNotFound = (): NotFound =>
  new NotFound('datapoint_not_found', 'there is no datapoint with this id in this dataset');

export const captureRuleNotFound = (): NotFound =>
  new NotFound('capture_rule_not_found', 'there is no capture rule with this id in this dataset');

/** What is said of an id in a body that names no span. */
export const NO_SPAN = 'there is no span with this id';
