import type { StatusBucket } from '@spandrel/contract/browser';

/** All traces of a bucket. */
export function totalOf({ running, completed, failed }: StatusBucket): number {
  return running + completed + failed;
}
