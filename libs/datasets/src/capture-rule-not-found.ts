import { NotFound } from '@spandrel/kernel';

export const captureRuleNotFound = (): NotFound =>
  new NotFound('capture_rule_not_found', 'there is no such capture rule in this dataset');
