import type { EvalRunRow } from './eval-run.entity.js';

/** A try of a datapoint in a run. */
export interface SampleKey {
  datapointId: string;
  /** From 0. */
  repeat: number;
}

/** A text for each sample of a run, by which sets and maps know it. */
export const sampleName = ({ datapointId, repeat }: SampleKey): string =>
  repeat === 0 ? datapointId : `${repeat} ${datapointId}`;

/** The samples of a run that are being called. */
export const runningSamples = (run: Pick<EvalRunRow, 'running'>): SampleKey[] =>
  (JSON.parse(run.running) as (string | [string, number])[]).map((entry) =>
    typeof entry === 'string' ? { datapointId: entry, repeat: 0 } : { datapointId: entry[0], repeat: entry[1] },
  );

/** Samples that are being called, as a run's row has them. */
export const runningText = (samples: Iterable<SampleKey>): string =>
  JSON.stringify(
    Array.from(samples, ({ datapointId, repeat }) => (repeat === 0 ? datapointId : [datapointId, repeat])),
  );

/** Longest that an item of a run that was cancelled goes on: its call, the judge's, each with a retry. */
const IN_FLIGHT_MS_MAX = 300_000;

/** Names of the samples that are being called; those of a run that is over and whose process is gone are called by nobody. */
export const samplesRunningNow = (run: EvalRunRow): ReadonlySet<string> => new Set(callsNow(run).map(sampleName));

/** The datapoints that are being called. */
export const runningNow = (run: EvalRunRow): ReadonlySet<string> =>
  new Set(callsNow(run).map(({ datapointId }) => datapointId));

const callsNow = (run: EvalRunRow): SampleKey[] =>
  run.endedAt === null || Date.now() - run.endedAt < IN_FLIGHT_MS_MAX ? runningSamples(run) : [];
