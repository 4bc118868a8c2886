import { namedScores } from '../words/named-scores.js';
import type { EvalReport } from './eval-report.js';

/** Lists in the statistics have one entry for each `k`. */
const isPassK = (value: unknown): value is { k: number; [member: string]: number | null } =>
  typeof value === 'object' && value !== null && 'k' in value;

/** What a run was, and its statistics, as names and values: `score.mean` `0.7`. What has no value is left out. */
export function statisticsProperties({ run, statistics, dataset, url, file }: EvalReport): [string, string][] {
  const { config } = run;
  const about = {
    run_id: run.id,
    url,
    file,
    dataset: dataset.name,
    dataset_id: run.dataset_id,
    dataset_version: run.dataset_version,
    model: config.model,
    status: run.status,
    stop_reason: run.stop_reason,
    metadata: run.metadata,
  };
  const { run_id: _id, status: _status, scorers, comparison, ...numbers } = statistics;
  return flattened({
    ...about,
    ...numbers,
    scorers: Object.fromEntries(namedScores(scorers)),
    comparison: comparison && { ...comparison, scorers: Object.fromEntries(namedScores(comparison.scorers)) },
  });
}

/** Paths of all values that are neither objects nor lists. */
function flattened(value: unknown, path = ''): [string, string][] {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[path, String(value)]];
  if (Array.isArray(value)) {
    return value.filter(isPassK).flatMap(({ k, ...rest }) =>
      Object.entries(rest)
        .filter(([, amount]) => amount !== null)
        .map(([member, amount]): [string, string] => [`${path}.${member}@${k}`, String(amount)]),
    );
  }
  const under = path === '' ? '' : `${path}.`;
  return Object.entries(value).flatMap(([member, inner]) => flattened(inner, under + member));
}
