import type { EvalRunRow } from './eval-run.entity.js';
import { runningItems } from './run-resource.js';

/** Longest that an item of a run that was cancelled goes on: its call, the judge's, each with a retry. */
const IN_FLIGHT_MS_MAX = 300_000;

/** The datapoints that are being called; items of a run that is over and whose process is gone are called by nobody. */
export const runningNow = (run: EvalRunRow): ReadonlySet<string> =>
  new Set(run.endedAt === null || Date.now() - run.endedAt < IN_FLIGHT_MS_MAX ? runningItems(run) : []);
