import type { GenericFields, GenericMember } from './datapoint-fields.js';
import { ValueField } from './value-field.js';

/** Members in the order of the form; the last two are JSON and never a text. */
const MEMBERS: readonly (readonly [GenericMember, label: string, isJson: boolean])[] = [
  ['input', 'Input', false],
  ['expected_output', 'Expected output', false],
  ['actual_output', 'Actual output', false],
  ['score', 'Score', true],
  ['metadata', 'Metadata', true],
];

export interface GenericFormProps {
  form: GenericFields;
  onChange(form: GenericFields): void;
}

/** The members of a generic datapoint. */
export function GenericForm({ form, onChange }: GenericFormProps) {
  return MEMBERS.map(([member, label, isJson]) => (
    <ValueField
      key={member}
      label={label}
      isJson={isJson}
      {...(member === 'score' && { rows: 1 })}
      field={form.fields[member]}
      onChange={(field) => onChange({ ...form, fields: { ...form.fields, [member]: field } })}
    />
  ));
}
