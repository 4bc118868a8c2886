import { SelectField, TextArea } from '../../components/field.js';
import { faultOfField, readAs, type FormField } from './form-field.js';
import styles from './datapoint-form.module.css';

export interface ValueFieldProps {
  label: string;
  field: FormField;
  onChange(field: FormField): void;
  /** Whether the value is JSON and never a text. */
  isJson?: boolean;
  /** Lines that are shown at least. */
  rows?: number;
}

const WAYS = [
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
];
/** Lines that a field shows without being scrolled. */
const ROWS_MAX = 16;

/** A value of a datapoint: a text, or JSON of any kind. */
export function ValueField({ label, field, onChange, isJson = false, rows = 2 }: ValueFieldProps) {
  const lines = field.text.split('\n', ROWS_MAX).length;
  return (
    <div className={styles.value}>
      <TextArea
        label={label}
        dir="auto"
        rows={Math.max(rows, lines)}
        value={field.text}
        fault={faultOfField(field)}
        onChange={({ target }) => onChange({ ...field, text: target.value })}
      />
      {!isJson && (
        <SelectField
          label={`${label} as`}
          isLabelHidden
          className={styles.way}
          options={WAYS}
          value={field.as}
          onChange={({ target }) => onChange(readAs(field, target.value === 'json' ? 'json' : 'text'))}
        />
      )}
    </div>
  );
}
