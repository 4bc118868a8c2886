import type { CaptureRuleResource } from '@spandrel/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { deleteCaptureRule, listCaptureRules } from '../../api/capture-rules.js';
import { keys } from '../../api/keys.js';
import { Button } from '../../components/button.js';
import { ConfirmDialog } from '../../components/confirm-dialog.js';
import { EmptyState } from '../../components/empty-state.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { Grid } from '../../components/grid/grid.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useSpaced } from '../../components/use-spaced.js';
import { useLiveBatches } from '../../live/live-updates.js';
import { ruleColumns } from './rule-columns.js';
import { RuleDialog } from './rule-dialog.js';
import styles from './dataset-page.module.css';

/** Many spans may be captured at once; counts are asked for anew this often at most. */
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
  const rules = query.data ?? [];
  const newRule = (
    <Button writes variant="primary" icon="plus" onClick={() => setEdited('new')}>
      New rule
    </Button>
  );
  return (
    <>
      {query.error && (
        <FaultNotice
          title="Capture rules could not be loaded"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.data !== undefined && rules.length === 0 ? (
        <EmptyState title="No capture rules yet" action={newRule}>
          <p>A capture rule makes datapoints of spans by itself: of all that failed, of a part of a model’s calls.</p>
        </EmptyState>
      ) : (
        <>
          <div className={styles.actions}>{newRule}</div>
          <Grid<CaptureRuleResource>
            label="Capture rules"
            columns={columns}
            length={rules.length}
            isComplete={query.data !== undefined}
            rowAt={(index) => rules[index]}
            keyAt={(index) => rules[index]!.id}
            onOpen={setEdited}
          />
        </>
      )}
      {edited !== null && (
        <RuleDialog
          datasetId={datasetId}
          rule={edited === 'new' ? null : edited}
          onSaved={() => void refresh()}
          onClose={() => setEdited(null)}
        />
      )}
      {deleted && (
        <DeleteRule
          datasetId={datasetId}
          rule={deleted}
          onDeleted={() => void refresh()}
          onClose={() => setDeleted(null)}
        />
      )}
    </>
  );
}

function useRules(datasetId: string) {
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: keys.captureRules(datasetId),
    queryFn: ({ signal }) => listCaptureRules(datasetId, signal),
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

interface DeleteRuleProps {
  datasetId: string;
  rule: CaptureRuleResource;
  onDeleted(): void;
  onClose(): void;
}

function DeleteRule({ datasetId, rule, onDeleted, onClose }: DeleteRuleProps) {
  const deletion = useMutation({
    mutationFn: () => deleteCaptureRule(datasetId, rule.id),
    onSuccess: () => {
      notify(`Deleted the rule ${rule.name}`);
      onDeleted();
    },
    onError: (error) => notifyError('The rule could not be deleted', error),
    onSettled: onClose,
  });
  return (
    <ConfirmDialog
      title="Delete capture rule?"
      action="Delete"
      isBusy={deletion.isPending}
      onConfirm={() => deletion.mutate()}
      onClose={onClose}
    >
      <p>The datapoints that {rule.name} captured stay. This cannot be undone.</p>
    </ConfirmDialog>
  );
}
