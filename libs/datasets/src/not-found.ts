import { NotFound } from '@spandrel/kernel';

export const datasetNotFound = (): NotFound => new NotFound('dataset_not_found', 'there is no such dataset');

export const datapointNotFound = (): NotFound =>
  new NotFound('datapoint_not_found', 'there is no such datapoint in this dataset');
