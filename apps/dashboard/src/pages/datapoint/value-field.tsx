import { SelectField, TextArea } from '../../components/field.js';
import { faultOfField, readAs, type FormField } from './form-field.js';
import styles from './datapoint-form.module.css';

export interface ValueFieldProps {
  label: string;
  field: FormField;
  onChange(field: FormField): void;
  /** Whether the value is JSON and never a text. */
  isJson?: boolean;
}

const WAYS = [
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
];
/** Lines that a field shows without being scrolled. */
const ROWS = { least: 2, most: 16 };

/** A value of a datapoint: a text, or JSON of any kind. */
export function ValueField({ label, field, onChange, isJson = false }: ValueFieldProps) {
  const lines = field.text.split('\n', ROWS.most).length;
  return (
    <div className={styles.value}>
      <TextArea
        label={label}
        dir="auto"
        rows={Math.max(ROWS.least, lines)}
        value={field.text}
        fault={faultOfField(field)}
        onChange={({ target }) => onChange({ ...field, text: target.value })}
      />
      {!isJson && (
        <SelectField
          label={`${label} as`}
          options={WAYS}
          value={field.as}
          onChange={({ target }) => onChange(readAs(field, target.value === 'json' ? 'json' : 'text'))}
        />
      )}
    </div>
  );
}
