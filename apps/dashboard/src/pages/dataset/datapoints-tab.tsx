import type { DatapointPreview, DatasetResource } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, lazy, Suspense } from 'react';
import { formatScore, NONE, formatCounted } from '@spandrel/contract/browser';
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { EmptyState, FaultNotice } from '../../components/page-parts.js';
import { zoneName } from '../../components/format.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { datapointAddress, nameOfDatapoint } from '../../features/addresses.js';
import { DatapointLink } from '../../features/links.js';
import { FilterBar } from '../../features/filters/filter-bar.js';
import { bareSearch, listChips } from '../../features/filters/list-search.js';
import { ListedGrid, useSelectedRows, SelectionToolbar } from '../../features/list/list-page.js';
import { describeCount } from '../../features/list/list-rules.js';
import { DATAPOINT_PARAMETERS, type DatasetSearch } from './dataset-search.js';
import { useDatapointList } from './use-dataset.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import { deleteDatapoints } from '../../api/datapoints.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { notify, notifyError } from '../../components/notify.js';
import { SendToReview } from '../../features/send-to-review.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { EvaluateButton } from './runs-tab.js';
import styles from './dataset-page.module.css';

interface DatapointsTabProps {
  dataset: DatasetResource;
  search: DatasetSearch;
  /** @param isTyped replaces the entry of the history in place of adding one. */
  onSearch(search: DatasetSearch, isTyped?: boolean): void;
  /** Called when the dataset is another than before. */
  onChanged(): void;
}

/** The datapoints of a dataset, and what is done with them. */
export function DatapointsTab({ dataset, search, onSearch, onChanged }: DatapointsTabProps) {
  const { id, datapoint_count: total } = dataset;
  const { list, live, shownKey } = useDatapointList(id, search);
  const navigate = useNavigate();
  const { times } = usePreferences();
  const all = useMemo(() => datapointColumns(zoneName(Date.now(), times)), [times]);
  const columns = useListColumns<DatapointPreview, DatasetSearch>({
    ...{ list: 'datapoints', columns: all, offered: DATAPOINT_COLUMNS, search, onChange: onSearch },
    sorts: DATAPOINT_PARAMETERS.sorts,
  });
  const selected = useSelectedRows<DatapointPreview>(nameOfDatapoint);
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  const isFiltered = listChips(search, DATAPOINT_PARAMETERS, String).length > 0;
  return (
    <>
      <DatapointActions datasetId={id} onImported={onChanged} />
      {(!isEmpty || isFiltered) && <FilterBar search={search} parameters={DATAPOINT_PARAMETERS} onChange={onSearch} />}
      {list.error !== null && (
        <FaultNotice title="Datapoints could not be loaded" error={list.error} onRetry={list.retry} />
      )}
      {isEmpty ? (
        <NoDatapoints isFiltered={isFiltered} onBare={() => onSearch(bareSearch(search))} />
      ) : (
        <ListedGrid<DatapointPreview>
          label="Datapoints"
          one="datapoint"
          count={describeCount(list, isFiltered ? null : { count: total, exact: true }, 'datapoint')}
          {...{ list, live, shownKey, columns }}
          onOpen={({ id: datapointId }) => void navigate({ to: datapointAddress(id, datapointId) })}
          isDeleted={({ id: datapointId }) => live.deleted.has(datapointId)}
          selection={selected.selection}
          toolbar={
            <SelectedDatapoints
              datasetId={id}
              datapoints={selected.rows}
              onClear={selected.clear}
              onDeleted={(ids) => {
                list.changeRows((row) => (ids.has(row.id) ? null : row));
                onChanged();
              }}
            />
          }
        />
      )}
    </>
  );
}

function NoDatapoints({ isFiltered, onBare }: { isFiltered: boolean; onBare(): void }) {
  if (isFiltered) {
    return (
      <EmptyState
        title="No datapoints match these filters"
        action={<Button onClick={onBare}>Show all datapoints</Button>}
      >
        <p>Take one of them away, or clear them all.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No datapoints yet">
      <p>
        A datapoint is an input with the output that is expected of it. Add one, import a file, or open a span and press
        Add to dataset. Capture rules make them of spans by themselves.
      </p>
    </EmptyState>
  );
}

/** Where a datapoint came from, in words. */
const SOURCE_WORDS: Readonly<Record<DatapointPreview['source'], string>> = {
  manual: 'Manual',
  span_export: 'Span export',
  file_upload: 'File upload',
};

/** Every column of the list of datapoints. @param zone zone of the times, shown in the header. */
function datapointColumns(zone: string): GridColumn<DatapointPreview>[] {
  return [
    { id: 'input', header: 'Input', width: 200, grows: true, cell: (row) => <DatapointLink datapoint={row} /> },
    {
      ...textColumn<DatapointPreview>('expected', 'Expected', 160, ({ expected_preview: text }) => text ?? NONE),
      grows: true,
    },
    {
      ...textColumn<DatapointPreview>('actual', 'Actual', 160, ({ actual_preview: text }) => text ?? NONE),
      grows: true,
    },
    {
      id: 'score',
      header: 'Score',
      width: 64,
      align: 'end',
      cell: ({ score }) => <span title={score === null ? undefined : String(score)}>{formatScore(score)}</span>,
    },
    { id: 'source', header: 'Source', width: 96, cell: ({ source }) => SOURCE_WORDS[source] },
    { id: 'updated_at', header: 'Updated', note: zone, width: 136, cell: ({ updated_at }) => <Time at={updated_at} /> },
    { id: 'created_at', header: 'Created', width: 136, cell: ({ created_at }) => <Time at={created_at} /> },
    textColumn('kind', 'Kind', 104, ({ variant }) => (variant === 'Generic' ? 'Generic' : 'Conversation')),
  ];
}

const IDS = datapointColumns('').map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
const DATAPOINT_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('created_at')) };

interface SelectedDatapointsProps {
  datasetId: string;
  datapoints: readonly DatapointPreview[];
  onClear(): void;
  /** @param ids datapoints that are gone. */
  onDeleted(ids: ReadonlySet<string>): void;
}

/** The toolbar of selected datapoints. */
function SelectedDatapoints({ datasetId, datapoints, onClear, onDeleted }: SelectedDatapointsProps) {
  const ids = datapoints.map(({ id }) => id);
  const [isDeleting, setIsDeleting] = useState(false);
  const deletion = useMutation({
    mutationFn: () => deleteDatapoints(datasetId, ids),
    onSuccess: (count) => {
      onDeleted(new Set(ids));
      onClear();
      notify(`Deleted ${formatCounted(count, 'datapoint')}`);
    },
    onError: (error) => notifyError('The datapoints could not be deleted', error),
    onSettled: () => setIsDeleting(false),
  });
  return (
    <>
      <SelectionToolbar count={ids.length} onClear={onClear}>
        <SendToReview {...{ datasetId, ids }} onSent={onClear} />
        <Button writes variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
          Delete
        </Button>
      </SelectionToolbar>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${formatCounted(ids.length, 'datapoint')}?`}
          action="Delete"
          isBusy={deletion.isPending}
          onConfirm={() => deletion.mutate()}
          onClose={() => setIsDeleting(false)}
        >
          <p>
            {ids.length === 1 ? 'It is' : 'They are'} removed from the review queue too; results of runs stay. This
            cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface DatapointActionsProps {
  datasetId: string;
  onImported(): void;
}

const ExportMenu = lazy(async () => ({ default: (await import('./export-menu.js')).ExportMenu }));
const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.js')).ImportDialog }));

/** How datapoints come into a dataset and out of it. */
function DatapointActions({ datasetId, onImported }: DatapointActionsProps) {
  const navigate = useNavigate();
  const [isImporting, setIsImporting] = useState(false);
  const add = (): void => void navigate({ to: datapointAddress(datasetId, 'new') });
  const openImport = (): void => setIsImporting(true);
  useShortcuts([
    { keys: '', label: 'Add datapoint', writes: true, group: 'Dataset', run: add },
    { keys: '', label: 'Import datapoints', writes: true, group: 'Dataset', run: openImport },
  ]);
  return (
    <div className={styles.actions}>
      <Button writes icon="plus" onClick={add}>
        Add datapoint
      </Button>
      <Button writes icon="arrowUp" onClick={openImport}>
        Import
      </Button>
      <Suspense
        fallback={
          <Button icon="download" disabled>
            Export
          </Button>
        }
      >
        <ExportMenu datasetId={datasetId} />
      </Suspense>
      <EvaluateButton datasetId={datasetId} />
      {isImporting && (
        <Suspense fallback={null}>
          <ImportDialog datasetId={datasetId} onImported={onImported} onClose={() => setIsImporting(false)} />
        </Suspense>
      )}
    </div>
  );
}
