import type { EvalRunSummary } from '@spandrel/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { formatScore, shownScore } from '@spandrel/contract/browser';
import { api, listPage } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { SelectField, type SelectFieldProps } from '../../components/field.js';
import { formatId, formatTime } from '../../components/format.js';
import { useLater } from '../../components/hooks.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';

/** A run without its results. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => api.getEval({ path: { id }, query: { items: 'none' }, signal }),
  });

/** The newest runs of a dataset, from which one is chosen. */
export function useRunsOf(datasetId: string, isNeeded = true) {
  return useQuery({
    queryKey: keys.runsOf(datasetId),
    queryFn: async ({ signal }) =>
      (await listPage<EvalRunSummary>('listEvalRuns', { query: { dataset_id: datasetId }, signal })).rows,
    staleTime: 0,
    enabled: isNeeded,
  });
}

/** How a select names runs, many of which have the same name: `nightly, 2026-11-22 14:03:05, score 0.85`. */
export function useRunOption() {
  const { times } = usePreferences();
  return (run: EvalRunSummary) => {
    const { id, name, created_at: at } = run;
    const { mean: score } = shownScore(run);
    const scored = score === null ? '' : `, score ${formatScore(score)}`;
    return { value: id, label: `${name}, ${formatTime(Date.parse(at), times)}${scored}` };
  };
}

interface RunFieldProps extends Omit<SelectFieldProps, 'options' | 'onChange'> {
  datasetId: string;
  /** Ids of runs that are not offered. */
  without: readonly (string | undefined)[];
  /** What is offered in the place of a run. */
  none: string;
  /** @param runId `''` for none. */
  onChange(runId: string): void;
}

/** A choice of a run of a dataset; nothing where there is none to choose, unless one is required. */
export function RunField({ datasetId, without, none, onChange, ...field }: RunFieldProps) {
  const isLater = useLater();
  const { data: all, isError } = useRunsOf(datasetId, isLater || field.required || field.value !== '');
  const runs = all?.filter(({ id }) => !without.includes(id)) ?? [];
  const toOption = useRunOption();
  // A select whose value is no option would show another one.
  const chosen = String(field.value ?? '');
  const awaited = all || chosen === '' ? [] : [{ value: chosen, label: isError ? formatId(chosen) : 'Loading…' }];
  if (all !== undefined && runs.length === 0 && !field.required) return null;
  return (
    <SelectField
      {...field}
      options={[{ value: '', label: none }, ...awaited, ...runs.map(toOption)]}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** Datasets there are, and the name of each by its id. */
export function useDatasetNames() {
  const query = useQuery({ queryKey: keys.datasets(), queryFn: ({ signal }) => api.listDatasets({ signal }) });
  const nameOf = (id: string): string => query.data?.datasets.find((dataset) => dataset.id === id)?.name ?? id;
  return { query, datasets: query.data?.datasets ?? [], nameOf };
}
