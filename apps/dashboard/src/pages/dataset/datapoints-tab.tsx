import type { DatapointPreview, DatasetResource } from '@spandrel/contract';
import { formatScore, NONE, formatCounted } from '@spandrel/contract/browser';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { PageActions } from '../../components/page-actions.js';
import { NoMatch, QueryFault, EmptyState } from '../../components/page-parts.js';
import { ConfirmDialog } from '../../components/dialog.js';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { datapointAddress, datasetAddress, nameOfDatapoint } from '../../features/addresses.js';
import { rememberTraceList } from '../../features/list/list-memory.js';
import { SOURCE_WORDS } from '../../features/datapoint/sources.js';
import { DatapointLink } from '../../features/links.js';
import { FilterBar } from '../../features/filters/filter-bar.js';
import { bareSearch, listChips } from '../../features/filters/list-search.js';
import { ListedGrid, useSelectedRows, type SelectedRows } from '../../features/list/list-page.js';
import { runBulkJob } from '../../features/list/bulk-job.js';
import { SelectionToolbar } from '../../features/list/selection-toolbar.js';
import { describeCount } from '../../features/list/list-rules.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { textColumn } from '../../features/columns/usual-columns.js';
import { SendToReview } from '../../features/send-to-review.js';
import { DATAPOINT_PARAMETERS, type DatasetSearch } from './dataset-search.js';
import { useDatapointList } from './use-dataset.js';
import { EvaluateButton } from './runs-tab.js';
import { DialogButton, lazyPart } from '../../components/lazy-part.js';

interface DatapointsTabProps {
  dataset: DatasetResource;
  search: DatasetSearch;
  onSearch(search: DatasetSearch, isTyped?: boolean): void;
  onChanged(): void;
}

/** The datapoints of a dataset, and what is done with them. */
export function DatapointsTab({ dataset, search, onSearch, onChanged }: DatapointsTabProps) {
  const { id, datapoint_count: total } = dataset;
  const found = useDatapointList(id, search);
  const { list, live, shownKey } = found;
  const navigate = useNavigate();
  const columns = useListColumns<DatapointPreview, DatasetSearch>({
    ...{ list: 'datapoints', columnsIn: datapointColumns, offered: DATAPOINT_COLUMNS, search, onChange: onSearch },
    sorts: DATAPOINT_PARAMETERS.sorts,
  });
  const listed = list.readRows.map((row) => row.id);
  useEffect(() => rememberTraceList({ path: datasetAddress(id), search: { ...search }, ids: listed }));
  const isEmpty = !list.isWaiting && list.error === null && list.length === 0;
  const isFiltered = listChips(search, DATAPOINT_PARAMETERS, String).length > 0;
  const counted = isFiltered ? null : { count: total, exact: true };
  const selected = useSelectedRows<DatapointPreview>(nameOfDatapoint, found, counted);
  return (
    <>
      <DatapointActions datasetId={id} onImported={onChanged} />
      {(!isEmpty || isFiltered) && <FilterBar search={search} parameters={DATAPOINT_PARAMETERS} onChange={onSearch} />}
      <QueryFault title="Datapoints could not be loaded" query={list} />
      {isEmpty ? (
        <NoDatapoints isFiltered={isFiltered} onBare={() => onSearch(bareSearch(search))} />
      ) : (
        <ListedGrid<DatapointPreview>
          label="Datapoints"
          one="datapoint"
          count={describeCount(list, counted, 'datapoint')}
          {...{ list, live, shownKey, columns }}
          onOpen={({ id: datapointId }) => void navigate({ to: datapointAddress(id, datapointId) })}
          isDeleted={({ id: datapointId }) => live.deleted.has(datapointId)}
          selection={selected.selection}
          page={selected.page}
          toolbar={
            <SelectedDatapoints
              datasetId={id}
              selected={selected}
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
  if (isFiltered) return <NoMatch what="datapoints" onClear={onBare} />;
  return (
    <EmptyState title="No datapoints yet">
      <p>
        A datapoint is an input with its expected output. Add one, import a file, or open a span and press Add to
        dataset. Capture rules create them from spans automatically.
      </p>
    </EmptyState>
  );
}

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
    cellColumn('score', 'Score', { width: 64, align: 'end' }, ({ score }) => (
      <span title={score === null ? undefined : String(score)}>{formatScore(score)}</span>
    )),
    { id: 'source', header: 'Source', width: 96, cell: ({ source }) => SOURCE_WORDS[source] },
    { id: 'updated_at', header: 'Updated', note: zone, width: 136, cell: ({ updated_at }) => <Time at={updated_at} /> },
    { id: 'created_at', header: 'Created', width: 136, cell: ({ created_at }) => <Time at={created_at} /> },
    textColumn('kind', 'Kind', 104, ({ variant }) => (variant === 'Generic' ? 'Generic' : 'Conversation')),
  ];
}

const IDS = datapointColumns('').map(({ id }) => id);

const DATAPOINT_COLUMNS: OfferedColumns = { all: IDS, usual: IDS.slice(0, IDS.indexOf('created_at')) };

interface SelectedDatapointsProps {
  datasetId: string;
  selected: SelectedRows<DatapointPreview>;
  onDeleted(ids: ReadonlySet<string>): void;
}

function SelectedDatapoints({ datasetId, selected, onDeleted }: SelectedDatapointsProps) {
  const { chosen, onClear } = selected;
  const [isDeleting, setIsDeleting] = useState(false);
  const many = chosen.count === undefined ? 'all datapoints that match' : formatCounted(chosen.count, 'datapoint');
  const deleteAll = (): void => {
    const gone = new Set<string>();
    setIsDeleting(false);
    onClear();
    void runBulkJob({
      ...{ chosen, title: 'Deleting datapoints', one: 'datapoint' },
      act: async (ids) => {
        const { deleted } = await api.deleteDatapoints({ path: { id: datasetId }, body: { ids: [...ids] } });
        for (const id of ids) gone.add(id);
        return { done: deleted, existing: 0, failed: 0 };
      },
      describe: ({ done }) => `Deleted ${formatCounted(done, 'datapoint')}`,
      onEnd: () => onDeleted(gone),
    });
  };
  return (
    <>
      <SelectionToolbar {...selected}>
        <SendToReview one="datapoint" {...{ datasetId, chosen }} onSent={onClear} />
        <Button writes variant="danger" icon="trash" onClick={() => setIsDeleting(true)}>
          Delete
        </Button>
      </SelectionToolbar>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${many}?`}
          action="Delete"
          onConfirm={deleteAll}
          onClose={() => setIsDeleting(false)}
        >
          <p>Their items in the review queue are deleted, too; results of runs are kept. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const ExportMenu = lazyPart(
  async () => (await import('./export-menu.js')).ExportMenu,
  <Button icon="download" disabled>
    Export
  </Button>,
);
const ImportDialog = lazyPart(async () => (await import('./import-dialog.js')).ImportDialog);

function DatapointActions({ datasetId, onImported }: { datasetId: string; onImported(): void }) {
  const navigate = useNavigate();
  const add = (): void => void navigate({ to: datapointAddress(datasetId, 'new') });
  return (
    <div className="row">
      <PageActions group="Dataset" actions={[{ label: 'Add datapoint', icon: 'plus', writes: true, run: add }]} />
      <DialogButton
        {...{ icon: 'arrowUp', writes: true }}
        command={{ keys: '', label: 'Import datapoints', group: 'Dataset', writes: true }}
        dialog={(close) => <ImportDialog {...{ datasetId, onImported }} onClose={close} />}
      >
        Import
      </DialogButton>
      <ExportMenu datasetId={datasetId} />
      <EvaluateButton datasetId={datasetId} />
    </div>
  );
}
