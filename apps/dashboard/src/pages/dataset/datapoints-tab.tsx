import type { DatapointPreview, DatasetResource } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { zoneName } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useListColumns } from '../../features/columns/use-list-columns.js';
import { datapointAddress, nameOfDatapoint } from '../../features/dataset-link.js';
import { FilterBar } from '../../features/filters/filter-bar.js';
import { bareSearch, listChips } from '../../features/filters/list-search.js';
import { ListedGrid } from '../../features/list-page/listed-grid.js';
import { useSelectedRows } from '../../features/list-page/use-selected-rows.js';
import { describeCount } from '../../features/paged-list/describe-count.js';
import { DatapointActions } from './datapoint-actions.js';
import { DATAPOINT_COLUMNS, datapointColumns } from './datapoint-columns.js';
import { DATAPOINT_PARAMETERS, type DatasetSearch } from './dataset-search.js';
import { SelectedDatapoints } from './selected-datapoints.js';
import { useDatapointList } from './use-datapoint-list.js';

export interface DatapointsTabProps {
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
