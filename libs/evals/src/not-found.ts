import { NotFound } from '@spandrel/kernel';

export const evalRunNotFound = (): NotFound => new NotFound('eval_run_not_found', 'there is no eval run with this id');
