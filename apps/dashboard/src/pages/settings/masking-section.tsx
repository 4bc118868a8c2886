import type { MaskingResource, MaskingRule } from '@spandrel/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { FaultNotice } from '../../components/page-parts.js';
import { notify } from '../../components/notify.js';
import { CheckboxField, SelectField, TextField, TextArea } from '../../components/field.js';
import {
  draftsOf,
  isChanged,
  newDraft,
  rulesOf,
  FIELD_LABELS,
  FIELDS,
  withField,
  withMasker,
  type DraftRule,
} from './masking-draft.js';
import { Section } from './section.js';
import styles from './settings-page.module.css';

const keyOf = (projectId: string) => ['masking', projectId];

/** What of texts is replaced before it is stored. @param mayChange whether the reader administers the project. */
export function MaskingSection({ projectId, mayChange }: { projectId: string; mayChange: boolean }) {
  const { data, error, refetch } = useQuery({
    queryKey: keyOf(projectId),
    queryFn: ({ signal }) => api.getMasking({ path: { id: projectId }, signal }),
  });
  return (
    <Section title="Masking">
      {error && <FaultNotice title="The rules could not be read" error={error} onRetry={() => void refetch()} />}
      {data && <MaskingRules key={projectId} masking={data} mayChange={mayChange} />}
    </Section>
  );
}

function MaskingRules({ masking, mayChange }: { masking: MaskingResource; mayChange: boolean }) {
  const client = useQueryClient();
  // What was read when the drafts began, and they.
  const [read, setRead] = useState<readonly MaskingRule[]>(masking.rules);
  const [drafts, setDrafts] = useState<readonly DraftRule[]>(() => draftsOf(read));
  const rules = rulesOf(drafts);
  const saving = useMutation({
    mutationFn: (sent: readonly DraftRule[]) =>
      api.putMasking({ path: { id: masking.project_id }, body: { rules: rulesOf(sent) } }),
    onSuccess: (saved, sent) => {
      client.setQueryData(keyOf(masking.project_id), saved);
      // What was changed since stays.
      setDrafts((now) => (now === sent ? draftsOf(saved.rules) : now));
      notify('Saved. The rules apply to new recordings');
    },
  });
  const load = (): void => {
    setRead(masking.rules);
    setDrafts(draftsOf(masking.rules));
  };
  const isOther = isChanged(read, masking.rules);
  if (isOther && !isChanged(drafts, read)) load();
  else if (isOther && [drafts, saving.data?.rules].some((ours) => ours && !isChanged(ours, masking.rules)))
    setRead(masking.rules);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!saving.isPending) saving.mutate(drafts);
  };
  const add = (): void => {
    const draft = newDraft(masking, rules);
    if (draft) setDrafts([...drafts, draft]);
  };
  return (
    <>
      <p className={styles.hint}>
        Matching values are replaced before anything is stored, in the gateway and in the API. Stored data is not
        changed.
      </p>
      <form className={styles.form} onSubmit={submit}>
        {drafts.length === 0 && <p>No rules: texts are stored unchanged.</p>}
        {drafts.map((rule, index) => (
          <MaskingRuleFields
            key={rule.key}
            rule={rule}
            place={index + 1}
            masking={masking}
            mayChange={mayChange}
            onChange={(changed) => setDrafts(drafts.map((one) => (one.key === rule.key ? changed : one)))}
            onRemove={() => setDrafts(drafts.filter(({ key }) => key !== rule.key))}
          />
        ))}
        {mayChange ? (
          <div className={styles.buttons}>
            <Button icon="plus" onClick={add}>
              Add a rule
            </Button>
            <Button variant="primary" type="submit" disabled={saving.isPending || !isChanged(drafts, masking.rules)}>
              Save rules
            </Button>
            {isOther && (
              <span role="status">
                Somebody else changed these rules meanwhile; saving replaces theirs.{' '}
                <Button onClick={load}>Load theirs</Button>
              </span>
            )}
          </div>
        ) : (
          <p className={styles.hint}>Only administrators of the organization can change the rules.</p>
        )}
        {saving.error && <FaultNotice title="The rules could not be saved" error={saving.error} />}
      </form>
      <MaskingTryOut projectId={masking.project_id} rules={mayChange ? rules : undefined} />
    </>
  );
}

const REPLACE = [
  { value: 'label', label: 'By a label: [email]' },
  { value: 'hash', label: 'By a keyed hash: equal values stay equal' },
];

interface MaskingRuleProps {
  rule: DraftRule;
  place: number;
  masking: MaskingResource;
  mayChange: boolean;
  onChange(rule: DraftRule): void;
  onRemove(): void;
}

function MaskingRuleFields({ rule, place, masking, mayChange, onChange, onRemove }: MaskingRuleProps) {
  const names = new Set([rule.masker, ...masking.maskers.map(({ name }) => name)]);
  return (
    <fieldset className={styles.form} disabled={!mayChange}>
      <legend>Rule {place}</legend>
      <div className={styles.inline}>
        <SelectField
          label="Values"
          value={rule.masker}
          options={[...names].map((name) => ({ value: name, label: name }))}
          onChange={({ target }) => onChange(withMasker(rule, target.value, masking))}
        />
        <SelectField
          label="Replaced"
          value={rule.replace}
          options={REPLACE}
          onChange={({ target }) => onChange({ ...rule, replace: target.value as DraftRule['replace'] })}
        />
        <TextField
          label="Label"
          required
          pattern="[a-z][a-z0-9_\-]{0,31}"
          title="small letters, digits, _ and -"
          value={rule.label}
          onChange={({ target }) => onChange({ ...rule, label: target.value })}
        />
        {mayChange && (
          <Button icon="trash" iconOnly onClick={onRemove}>
            Remove rule {place}
          </Button>
        )}
      </div>
      {rule.masker === 'pattern' && (
        <TextField
          label="Pattern"
          required
          hint="In the syntax of RE2, such as EMP-\d{6}."
          value={String(rule.config['pattern'] ?? '')}
          onChange={({ target }) => onChange({ ...rule, config: { ...rule.config, pattern: target.value } })}
        />
      )}
      <div className={styles.scopes}>
        {FIELDS.map((field) => (
          <CheckboxField
            key={field}
            label={FIELD_LABELS[field]}
            checked={rule.fields.includes(field)}
            onChange={({ target }) => onChange(withField(rule, field, target.checked))}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** @param rules of the page, saved or not; those of the project when left out, which readers see alone. */
function MaskingTryOut({ projectId, rules }: { projectId: string; rules: readonly MaskingRule[] | undefined }) {
  const preview = useMutation({
    mutationFn: (text: string) =>
      api.previewMasking({ path: { id: projectId }, body: { text, field: 'input', rules } }),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    preview.mutate(String(new FormData(event.currentTarget).get('text')));
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextArea
        label="Try a text out"
        name="text"
        rows={3}
        required
        hint="Treated as the input of a call. It is not stored."
      />
      <div className={styles.buttons}>
        <Button type="submit" disabled={preview.isPending}>
          Try out
        </Button>
      </div>
      {preview.error && <FaultNotice title="The text could not be tested" error={preview.error} />}
      {preview.data && (
        <div role="status">
          <p className={styles.secret}>{preview.data.text}</p>
          <p className={styles.hint}>
            {preview.data.found.length === 0
              ? 'Nothing was found.'
              : `Found: ${preview.data.found.map(({ label, count }) => `${label} ${count}`).join(', ')}.`}
          </p>
        </div>
      )}
    </form>
  );
}
