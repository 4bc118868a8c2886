import type { CaptureRuleResource } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { EmptyState } from '../../components/page-parts.js';
import { ConfirmAction } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { Button, RowButton, RowButtons } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useSpaced } from '../../components/hooks.js';
import { useLiveBatches } from '../../live/live-updates.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { countColumn, textColumn } from '../../features/columns/usual-columns.js';
import { EnabledSwitch } from '../../features/enabled-switch.js';
import { QueryGrid } from '../../features/list/query-grid.js';
import { describeFilters, percentOf } from '../../features/span-filters/filter-form.js';
import { RuleDialog } from './rule-dialog.js';

/** Many spans may be captured at once; counts are asked for again this often at most. */
const BETWEEN_MS = 1_000;

/** The capture rules of a dataset. */
export function RulesTab({ datasetId }: { datasetId: string }) {
  const { query, refresh } = useRules(datasetId);
  const [edited, setEdited] = useState<CaptureRuleResource | 'new' | null>(null);
  const [deleted, setDeleted] = useState<CaptureRuleResource | null>(null);
  const columns = useMemo(
    () => ruleColumns({ onChanged: refresh, onEdit: setEdited, onDelete: setDeleted }),
    [refresh],
  );
  useShortcuts([{ keys: '', label: 'New capture rule', writes: true, group: 'Dataset', run: () => setEdited('new') }]);
  const newRule = (
    <Button writes variant="primary" icon="plus" onClick={() => setEdited('new')}>
      New rule
    </Button>
  );
  return (
    <>
      <QueryGrid<CaptureRuleResource>
        label="Capture rules"
        {...{ query, columns }}
        rows={query.data?.capture_rules ?? []}
        onOpen={setEdited}
        above={newRule}
        empty={
          <EmptyState title="No capture rules yet" action={newRule}>
            <p>
              A capture rule creates datapoints from spans automatically, such as all that failed, or a sample of a
              model’s calls.
            </p>
          </EmptyState>
        }
      />
      {edited !== null && (
        <RuleDialog
          datasetId={datasetId}
          rule={edited === 'new' ? null : edited}
          onSaved={() => void refresh()}
          onClose={() => setEdited(null)}
        />
      )}
      {deleted && (
        <ConfirmAction
          title="Delete capture rule?"
          action="Delete"
          act={() => api.deleteCaptureRule({ path: { id: datasetId, rule_id: deleted.id } })}
          onDone={() => void refresh()}
          done={`Deleted the rule ${deleted.name}`}
          failed="The rule could not be deleted"
          onClose={() => setDeleted(null)}
        >
          <p>Datapoints that {deleted.name} captured are kept. This cannot be undone.</p>
        </ConfirmAction>
      )}
    </>
  );
}

function useRules(datasetId: string) {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: keys.captureRules(datasetId),
    queryFn: ({ signal }) => api.listCaptureRules({ path: { id: datasetId }, signal }),
  });
  const refresh = useCallback(
    () => queryClient.invalidateQueries({ queryKey: keys.captureRules(datasetId) }),
    [queryClient, datasetId],
  );
  const refreshSoon = useSpaced(() => void refresh(), BETWEEN_MS);
  useLiveBatches(({ events, hasMissed }) => {
    if (hasMissed || events.some(({ type }) => type === 'capture_triggered')) refreshSoon();
  });
  return { query, refresh };
}

interface RuleActions {
  /** Reads the rules again. */
  onChanged(): Promise<void>;
  onEdit(rule: CaptureRuleResource): void;
  onDelete(rule: CaptureRuleResource): void;
}

function ruleColumns({ onChanged, onEdit, onDelete }: RuleActions): GridColumn<CaptureRuleResource>[] {
  return [
    textColumn('name', 'Name', 180, ({ name }) => name),
    {
      ...textColumn<CaptureRuleResource>('filters', 'Filters', 200, ({ filters }) => describeFilters(filters)),
      grows: true,
    },
    { id: 'sample', header: 'Sample', width: 72, align: 'end', cell: ({ sample_rate: rate }) => `${percentOf(rate)}%` },
    countColumn('captured', 'Captured', 80, ({ captured_count }) => captured_count),
    cellColumn('enabled', 'Enabled', 64, (rule) => (
      <EnabledSwitch
        {...rule}
        change={(enabled) =>
          api.updateCaptureRule({ path: { id: rule.dataset_id, rule_id: rule.id }, body: { enabled } })
        }
        onChanged={onChanged}
      />
    )),
    cellColumn('actions', 'Actions', 124, (rule) => (
      <RowButtons>
        <RowButton word="Edit" name={rule.name} onClick={() => onEdit(rule)} />
        <RowButton word="Delete" name={rule.name} onClick={() => onDelete(rule)} />
      </RowButtons>
    )),
  ];
}
