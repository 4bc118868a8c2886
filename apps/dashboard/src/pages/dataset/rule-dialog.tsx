import type { CaptureRuleResource, CreateCaptureRule } from '@spandrel/contract';
import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { createCaptureRule, updateCaptureRule } from '../../api/capture-rules.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { SelectField, TextField } from '../../components/field.js';
import { FacetField } from './facet-field.js';
import { formOf, readRule, type RuleForm } from './rule-form.js';
import { RulePreview } from './rule-preview.js';
import styles from './rule-dialog.module.css';

export interface RuleDialogProps {
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
