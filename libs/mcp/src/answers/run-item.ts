import type { EvalRunSummary } from '@spandrel/contract';

/** An eval run as lists of tools show it. */
export function runItem(run: Readonly<Record<string, unknown>>): object {
  const {
    config,
    scorers,
    gates,
    scoring: _scoring,
    scoring_config: _config,
    ...shown
  } = run as unknown as EvalRunSummary;
  return {
    ...shown,
    // A run that tries each datapoint once has as many samples as datapoints.
    ...(shown.repeats === 1 && { repeats: undefined, sample_progress: undefined, sample_total: undefined }),
    model: config.model,
    connection_id: config.connection_id,
    scorers: scorers.map(({ name }) => name),
    gates:
      gates.length === 0
        ? undefined
        : `${gates.filter(({ passed }) => passed === true).length} of ${gates.length} hold`,
  };
}
