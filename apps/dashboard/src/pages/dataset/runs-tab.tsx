import type { EvalRunSummary } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { gridRows } from '../../features/list/use-paged-list.js';
import { EmptyState, FaultNotice } from '../../components/page-parts.js';
import { zoneName } from '../../components/format.js';
import { Grid } from '../../components/grid/grid.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useSelectedRows } from '../../features/list/list-page.js';
import { useListPlace } from '../../features/list/list-memory.js';
import { CompareToolbar, runColumns, useRunList } from '../../features/runs/run-list.js';
import { RunTrend } from '../../features/runs/run-trend.js';
import { runAddress } from '../../features/addresses.js';
import { Button } from '../../components/button.js';

const nameOfRun = ({ name }: EvalRunSummary): string => name;

/** The runs of a dataset, the newest first. */
export function RunsTab({ datasetId }: { datasetId: string }) {
  const { list, live, shownKey } = useRunList({ dataset_id: datasetId });
  const navigate = useNavigate();
  const { times } = usePreferences();
  const columns = useMemo(
    () => runColumns(zoneName(Date.now(), times), String).filter(({ id }) => id !== 'dataset'),
    [times],
  );
  const selected = useSelectedRows<EvalRunSummary>(nameOfRun);
  const place = useListPlace();
  if (list.error !== null)
    return <FaultNotice title="Runs could not be loaded" error={list.error} onRetry={list.refetch} />;
  if (!list.isWaiting && list.length === 0) {
    return (
      <EmptyState title="No runs yet" action={<EvaluateButton datasetId={datasetId} />}>
        <p>A run sends every datapoint to a model and scores what it answers.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <div className="row">
        <EvaluateButton datasetId={datasetId} />
        <CompareToolbar runs={selected.rows} onClear={selected.onClear} />
      </div>
      <RunTrend runs={list.readRows} />
      <Grid<EvalRunSummary>
        label="Runs"
        listKey={shownKey}
        columns={columns}
        {...gridRows(list)}
        onScrolledOrSelected={live.onScrolledOrSelected}
        selection={selected.selection}
        onOpen={({ id }) => void navigate({ to: runAddress(id) })}
        {...place}
      />
    </>
  );
}

/** Leads to the form that has a model answer every datapoint of a dataset. */
export function EvaluateButton({ datasetId }: { datasetId: string }) {
  const navigate = useNavigate();
  return (
    <Button writes onClick={() => void navigate({ to: '/evaluations/new', search: { dataset: datasetId } })}>
      Evaluate
    </Button>
  );
}
