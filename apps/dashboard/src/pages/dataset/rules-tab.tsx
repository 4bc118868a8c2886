import type { CaptureRuleResource, CreateCaptureRule, CapturePreview, SpanOutline } from '@spandrel/contract';
import { useQuery, useQueryClient, keepPreviousData } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { EmptyState, QueryFault } from '../../components/page-parts.js';
import { ConfirmAction, FormDialog, NEW_ROW, type OpenedDialog } from '../../features/dialogs.js';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { Button, RowButton, RowButtons } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useSettled } from '../../components/hooks.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { countColumn, textColumn, costColumn, durationColumn } from '../../features/columns/usual-columns.js';
import { EnabledSwitch } from '../../features/enabled-switch.js';
import { useLiveQueries } from '../../features/list/use-live-queries.js';
import { QueryGrid } from '../../features/list/query-grid.js';
import { describeFilters, percentOf } from '../../features/span-filters/filter-form.js';
import { formatCount } from '@spandrel/contract/browser';
import { useNavigate } from '@tanstack/react-router';
import { TextField } from '../../components/field.js';
import { Grid } from '../../components/grid/grid.js';
import { Time } from '../../components/time.js';
import { AMOUNT, FilterFields } from '../../features/span-filters/filter-fields.js';
import { traceAddress } from '../../features/addresses.js';
import { SpanLink } from '../../features/links.js';
import { measureOf, modelOf } from '../../features/trace-span.js';
import { formOf, readRule, type RuleForm } from './rule-form.js';
import fieldStyles from '../../features/span-filters/filter-fields.module.css';
import styles from './rule-dialog.module.css';

/** Many spans may be captured at once; counts are asked for again this often at most. */
const BETWEEN_MS = 1_000;

type Opened = OpenedDialog<CaptureRuleResource>;

/** The capture rules of a dataset. */
export function RulesTab({ datasetId }: { datasetId: string }) {
  const { query, refresh } = useRules(datasetId);
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  const columns = useMemo(() => ruleColumns(refresh, setOpened), [refresh]);
  useShortcuts([
    { keys: '', label: 'New capture rule', writes: true, group: 'Dataset', run: () => setOpened(NEW_ROW) },
  ]);
  const newRule = (
    <Button writes variant="primary" icon="plus" onClick={() => setOpened(NEW_ROW)}>
      New rule
    </Button>
  );
  return (
    <>
      <QueryGrid<CaptureRuleResource>
        label="Capture rules"
        {...{ query, columns }}
        rows={query.data?.capture_rules ?? []}
        onOpen={(row) => setOpened({ word: 'Edit', row })}
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
      {(opened?.word === 'New' || opened?.word === 'Edit') && (
        <RuleDialog {...{ datasetId }} rule={opened.row} onSaved={() => void refresh()} onClose={close} />
      )}
      {opened?.word === 'Delete' && (
        <ConfirmAction
          title="Delete capture rule?"
          action="Delete"
          act={() => api.deleteCaptureRule({ path: { id: datasetId, rule_id: opened.row.id } })}
          onDone={() => void refresh()}
          done={`Deleted the rule ${opened.row.name}`}
          failed="The rule could not be deleted"
          onClose={close}
        >
          <p>Datapoints that {opened.row.name} captured are kept. This cannot be undone.</p>
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
  const live = [{ queryKey: keys.captureRules(datasetId) }];
  useLiveQueries(live, BETWEEN_MS, ({ type }) => type === 'capture_triggered');
  return { query, refresh };
}

function ruleColumns(
  onChanged: () => Promise<void>,
  open: (opened: Opened) => void,
): GridColumn<CaptureRuleResource>[] {
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
        {(['Edit', 'Delete'] as const).map((word) => (
          <RowButton key={word} word={word} name={rule.name} onClick={() => open({ word, row: rule })} />
        ))}
      </RowButtons>
    )),
  ];
}

interface RuleDialogProps {
  datasetId: string;
  rule: CaptureRuleResource | null;
  onSaved(): void;
  onClose(): void;
}

function RuleDialog({ datasetId, rule, onSaved, onClose }: RuleDialogProps) {
  const [form, setForm] = useState(() => formOf(rule));
  const read = readRule(form);
  const save = ({ name, filters, sample_rate }: CreateCaptureRule): Promise<unknown> => {
    const body = { name, filters: filters ?? {}, sample_rate: sample_rate ?? 1 };
    return rule === null
      ? api.createCaptureRule({ path: { id: datasetId }, body })
      : api.updateCaptureRule({ path: { id: datasetId, rule_id: rule.id }, body });
  };
  const fieldOf = (id: keyof RuleForm) => ({
    value: form[id],
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [id]: target.value }),
  });
  return (
    <FormDialog
      title={rule === null ? 'New capture rule' : 'Edit capture rule'}
      size="large"
      action={rule === null ? 'Create rule' : 'Save rule'}
      failed="The rule could not be saved"
      canSend={read !== null && read.name !== ''}
      send={() => save(read!)}
      onSent={() => {
        onSaved();
        onClose();
      }}
      onClose={onClose}
      className={fieldStyles.form}
      below={<RulePreview datasetId={datasetId} rule={read} />}
    >
      <TextField label="Name" className={fieldStyles.name} required {...fieldOf('name')} />
      <FilterFields fieldOf={fieldOf} />
      <TextField label="Sample rate (%)" {...AMOUNT} max={100} required {...fieldOf('sample')} />
    </FormDialog>
  );
}

interface RulePreviewProps {
  datasetId: string;
  rule: CreateCaptureRule | null;
}

const PAUSE_MS = 250;

function RulePreview({ datasetId, rule }: RulePreviewProps) {
  const navigate = useNavigate();
  const asked = useSettled(JSON.stringify(rule && { filters: rule.filters, sample_rate: rule.sample_rate }), PAUSE_MS);
  const query = JSON.parse(asked) as Pick<CreateCaptureRule, 'filters' | 'sample_rate'> | null;
  const preview = useQuery({
    queryKey: keys.capturePreview(datasetId, query ?? {}),
    queryFn: ({ signal }) => api.previewCaptureRule({ path: { id: datasetId }, body: query!, signal }),
    enabled: query !== null,
    placeholderData: keepPreviousData,
    // What was recorded meanwhile counts.
    staleTime: 0,
  });
  const { data } = preview;
  return (
    <section aria-label="Preview" className={styles.preview}>
      <h3>Preview</h3>
      <QueryFault title="The preview could not be loaded" query={preview} />
      <p role="status">
        {rule === null ? 'Numbers are 0 or more, and the rate is at most 100.' : data && describe(data)}
      </p>
      {data !== undefined && data.spans.length > 0 && (
        <div className={styles.spans}>
          <Grid<SpanOutline>
            label="Matching spans"
            columns={COLUMNS}
            length={data.spans.length}
            isComplete
            rowAt={(index) => data.spans[index]}
            keyAt={(index) => data.spans[index]!.id}
            onOpen={({ id, trace_id: trace }) =>
              void navigate({ to: traceAddress(trace), search: { span: id } } as never)
            }
          />
        </div>
      )}
    </section>
  );
}

function describe({ scanned, matched, would_capture: captured }: CapturePreview): string {
  const words = `${formatCount(matched)} of the last ${formatCount(scanned)} finished spans match`;
  return captured === matched ? words : `${words}, about ${formatCount(captured)} would be captured`;
}

const COLUMNS: readonly GridColumn<SpanOutline>[] = [
  { id: 'started_at', header: 'Started', width: 112, cell: ({ started_at }) => <Time at={started_at} /> },
  { id: 'name', header: 'Name', width: 140, grows: true, cell: (span) => <SpanLink span={span} /> },
  textColumn('model', 'Model', 120, modelOf),
  durationColumn('duration', 'Duration', 80, (span) => measureOf(span, 'duration_ms')),
  countColumn('tokens', 'Tokens', 72, (span) => measureOf(span, 'total_tokens')),
  costColumn('cost', 'Cost', 72, (span) => measureOf(span, 'cost')),
];
