import {
  externalResultSchema,
  EXTERNAL_SCORER,
  fieldErrors,
  type AddedResults,
  type ExternalResult,
} from '@spandrel/contract';
import type { RunScorer } from '@spandrel/contract';
import { requestHash } from '@spandrel/tracing';
import type { SampleKey } from '../running-items.js';

/** A score that the caller of an external run gave. */
export interface GivenScore {
  score: number;
  reason: string | null;
}

/** A result that is as its run asks for. */
export interface GivenResult extends SampleKey {
  /** The place of the result in the request. */
  index: number;
  result: ExternalResult;
  /** By the names of scorers. */
  scores: Readonly<Record<string, GivenScore>>;
  /** Tells whether a result is the same that was sent before. */
  hash: string;
}

export type Rejection = AddedResults['rejected'][number];

/** What results must fit. */
export interface AskedFor {
  repeats: number;
  scorers: readonly RunScorer[];
}

/**
 * Checks results one by one, so that a bad one rejects itself alone; whether the run has their datapoints is not looked at
 * (docs/spec/external-runs.md#results).
 */
export function readResults(
  run: AskedFor,
  results: readonly unknown[],
): { given: GivenResult[]; rejected: Rejection[] } {
  const external = new Set(run.scorers.filter(({ scoring }) => scoring === EXTERNAL_SCORER).map(({ name }) => name));
  const given: GivenResult[] = [];
  const rejected: Rejection[] = [];
  for (const [index, sent] of results.entries()) {
    const parsed = externalResultSchema.safeParse(sent);
    const faults = parsed.success ? faultsOf(run, external, parsed.data) : fieldErrors(parsed.error).map(told);
    if (parsed.success && faults.length === 0) given.push(givenResult(index, parsed.data));
    else rejected.push({ index, code: 'validation_failed', message: faults.join('; ') });
  }
  return { given, rejected };
}

const told = ({ path, message }: { path: string; message: string }): string => (path ? `${path} ${message}` : message);

/** What a run does not ask for. */
function faultsOf(run: AskedFor, external: ReadonlySet<string>, { repeat, scores }: ExternalResult): string[] {
  const faults: string[] = [];
  if ((repeat ?? 0) >= run.repeats) {
    faults.push(`repeat must be less than ${run.repeats}, the repeats of the run`);
  }
  for (const name of Object.keys(scores ?? {})) {
    if (external.has(name)) continue;
    const isOurs = run.scorers.some((scorer) => scorer.name === name);
    const why = isOurs ? 'the server scores by it' : 'the run has no scorer of this name';
    faults.push(`scores.${name} must be left out: ${why}`);
  }
  return faults;
}

function givenResult(index: number, result: ExternalResult): GivenResult {
  const { datapoint_id: datapointId } = result;
  const repeat = result.repeat ?? 0;
  const scores = Object.fromEntries(
    Object.entries(result.scores ?? {}).map(([name, score]) => [
      name,
      typeof score === 'number' ? { score, reason: null } : { score: score.score, reason: score.reason ?? null },
    ]),
  );
  const hash = requestHash({ ...result, repeat, scores });
  return { index, datapointId, repeat, result, scores, hash };
}
