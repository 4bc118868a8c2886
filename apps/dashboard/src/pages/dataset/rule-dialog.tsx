import type { CaptureRuleResource, CreateCaptureRule, CapturePreview, SpanOutline } from '@spandrel/contract';
import { useMutation, keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { formatCount } from '@spandrel/contract/browser';
import { useNavigate } from '@tanstack/react-router';
import { createCaptureRule, updateCaptureRule, previewCapture } from '../../api/capture-rules.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/page-parts.js';
import { SelectField, TextField } from '../../components/field.js';
import { FacetField } from './facet-field.js';
import { formOf, readRule, type RuleForm } from './rule-form.js';
import { keys } from '../../api/keys.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { Time } from '../../components/time.js';
import { useSettled } from '../../components/hooks.js';
import { costColumn, countColumn, durationColumn, textColumn } from '../../features/columns/usual-columns.js';
import { traceAddress } from '../../features/addresses.js';
import { SpanLink } from '../../features/links.js';
import { measureOf, modelOf } from '../../features/trace-span.js';
import styles from './rule-dialog.module.css';

interface RuleDialogProps {
  datasetId: string;
  /** `null` for a new one. */
  rule: CaptureRuleResource | null;
  onSaved(): void;
  onClose(): void;
}

const STATUSES = [
  { value: '', label: 'Any status' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
];

/** What a rule captures, with what it would have captured so far. */
export function RuleDialog({ datasetId, rule, onSaved, onClose }: RuleDialogProps) {
  const formId = useId();
  const [form, setForm] = useState(() => formOf(rule));
  const read = readRule(form);
  const saving = useMutation({
    mutationFn: (written: CreateCaptureRule) =>
      rule === null
        ? createCaptureRule(datasetId, written)
        : updateCaptureRule(datasetId, rule.id, {
            name: written.name,
            filters: written.filters ?? {},
            sample_rate: written.sample_rate ?? 1,
          }),
    onSuccess: () => {
      onSaved();
      onClose();
    },
  });
  const canSave = read !== null && read.name !== '' && !saving.isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canSave) saving.mutate(read);
  };
  const fieldOf = (id: keyof RuleForm) => ({
    value: form[id],
    onChange: ({ target }: { target: { value: string } }) => setForm({ ...form, [id]: target.value }),
  });
  const amount = { type: 'number', min: 0, step: 'any' } as const;
  return (
    <Dialog
      title={rule === null ? 'New capture rule' : 'Edit capture rule'}
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={formId} disabled={!canSave}>
            {rule === null ? 'Create rule' : 'Save rule'}
          </Button>
        </>
      }
    >
      <form id={formId} className={styles.form} onSubmit={submit}>
        <TextField label="Name" className={styles.name} required {...fieldOf('name')} />
        <FacetField label="Model" facet="model" {...fieldOf('model')} />
        <FacetField label="Provider" facet="provider" {...fieldOf('provider')} />
        <FacetField label="Kind" facet="kind" {...fieldOf('kind')} />
        <SelectField label="Status" options={STATUSES} {...fieldOf('status')} />
        <TextField label="Name contains" {...fieldOf('name_contains')} />
        <FacetField label="Tag" facet="tag" {...fieldOf('tag')} />
        <TextField label="Minimum cost" {...amount} {...fieldOf('min_cost')} />
        <TextField label="Minimum tokens" {...amount} {...fieldOf('min_tokens')} />
        <TextField label="Minimum duration (ms)" {...amount} {...fieldOf('min_duration_ms')} />
        <TextField label="Sample rate (%)" {...amount} max={100} required {...fieldOf('sample')} />
      </form>
      {saving.error && <FaultNotice title="The rule could not be saved" error={saving.error} />}
      <RulePreview datasetId={datasetId} rule={read} />
    </Dialog>
  );
}

interface RulePreviewProps {
  datasetId: string;
  /** `null` while the fields are no rule. */
  rule: CreateCaptureRule | null;
}

/** The server is asked after this pause in typing. */
const PAUSE_MS = 250;

/** What a rule would have taken of the newest spans. */
function RulePreview({ datasetId, rule }: RulePreviewProps) {
  const navigate = useNavigate();
  const asked = useSettled(JSON.stringify(rule && { filters: rule.filters, sample_rate: rule.sample_rate }), PAUSE_MS);
  const query = JSON.parse(asked) as Pick<CreateCaptureRule, 'filters' | 'sample_rate'> | null;
  const preview = useQuery({
    queryKey: keys.capturePreview(datasetId, query ?? {}),
    queryFn: ({ signal }) => previewCapture(datasetId, query!, signal),
    enabled: query !== null,
    placeholderData: keepPreviousData,
    // What was recorded meanwhile counts.
    staleTime: 0,
  });
  const { data } = preview;
  return (
    <section aria-label="Preview" className={styles.preview}>
      <h3>Preview</h3>
      {preview.error && (
        <FaultNotice
          title="The preview could not be loaded"
          error={preview.error}
          onRetry={() => void preview.refetch()}
        />
      )}
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
