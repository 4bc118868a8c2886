import type { ScoreDefinition } from '@spandrel/contract';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { SelectField, TextArea, TextField } from '../../components/field.js';
import { FormDialog } from '../../features/dialogs.js';
import { KIND_WORDS, readDefinition, writeCategories } from './definition-form.js';

interface DefinitionDialogProps {
  /** `null` for a new one. */
  definition: ScoreDefinition | null;
  onChanged(): void;
  onClose(): void;
}

const PATHS = ['name', 'kind', 'min', 'max', 'categories', 'level', 'description'];

const KINDS = Object.entries(KIND_WORDS).map(([value, label]) => ({ value, label }));

const LEVELS = [
  { value: '', label: 'By the kind' },
  { value: 'nominal', label: 'Nominal: answers are equal or not' },
  { value: 'ordinal', label: 'Ordinal: answers have an order' },
  { value: 'interval', label: 'Interval: distances count' },
];

/** What scores of a name look like. */
export function DefinitionDialog({ definition, onChanged, onClose }: DefinitionDialogProps) {
  const [kind, setKind] = useState<string>(definition?.kind ?? 'number');
  const send = (form: FormData): Promise<unknown> => {
    const body = readDefinition(form);
    if (definition !== null) return api.updateScoreDefinition({ path: { id: definition.id }, body });
    return api.createScoreDefinition({ body: { name: String(form.get('name')), ...body } });
  };
  return (
    <FormDialog
      title={definition === null ? 'New score definition' : `Edit ${definition.name}`}
      action={definition === null ? 'Create' : 'Save'}
      failed="The definition could not be saved"
      paths={PATHS}
      send={send}
      onSent={() => {
        onChanged();
        onClose();
      }}
      onClose={onClose}
    >
      {(faults) => {
        const bound = (name: 'min' | 'max', label: string) => (
          <TextField
            {...{ label, name, fault: faults.at(name), inputMode: 'decimal' }}
            defaultValue={definition?.[name] ?? ''}
          />
        );
        return (
          <>
            {definition === null && <TextField label="Name" name="name" required fault={faults.at('name')} />}
            <SelectField
              label="Kind"
              name="kind"
              options={KINDS}
              value={kind}
              onChange={({ target }) => setKind(target.value)}
            />
            {kind === 'number' && (
              <>
                {bound('min', 'Smallest value')}
                {bound('max', 'Largest value')}
              </>
            )}
            {kind === 'category' && (
              <TextArea
                label="Categories"
                name="categories"
                rows={4}
                hint="One per line. To give a category a numeric value, add it after =, as in good = 1."
                fault={faults.at('categories')}
                defaultValue={writeCategories(definition?.categories ?? [])}
              />
            )}
            {kind !== 'text' && (
              <SelectField
                label="Level"
                name="level"
                options={LEVELS}
                defaultValue={definition?.level ?? ''}
                hint="How far apart two answers are when agreement is computed."
              />
            )}
            <TextArea
              label="Description"
              name="description"
              rows={2}
              dir="auto"
              hint="Reviewers read it beside the field."
              fault={faults.at('description')}
              defaultValue={definition?.description ?? ''}
            />
          </>
        );
      }}
    </FormDialog>
  );
}
