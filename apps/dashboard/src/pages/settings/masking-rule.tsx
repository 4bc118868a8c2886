import type { MaskingResource } from '@spandrel/contract';
import { Button } from '../../components/button.js';
import { CheckboxField, SelectField, TextField } from '../../components/field.js';
import { FIELD_LABELS, FIELDS, withField, withMasker, type DraftRule } from './masking-draft.js';
import styles from './settings-page.module.css';

const REPLACE = [
  { value: 'label', label: 'By a label: [email]' },
  { value: 'hash', label: 'By a keyed hash: equal values stay equal' },
];

interface MaskingRuleProps {
  rule: DraftRule;
  /** The number of the rule, from 1. */
  place: number;
  masking: MaskingResource;
  mayChange: boolean;
  onChange(rule: DraftRule): void;
  onRemove(): void;
}

/** One rule: which values, where, and what stands in their place. */
export function MaskingRuleFields({ rule, place, masking, mayChange, onChange, onRemove }: MaskingRuleProps) {
  const names = new Set([rule.masker, ...masking.maskers.map(({ name }) => name)]);
  const takesPattern = rule.masker === 'pattern';
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
      {takesPattern && (
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
