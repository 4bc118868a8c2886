import { useId, useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { AMOUNT_HINTS, readAmount } from './filter-amount.js';
import type { FilterField } from './filter-field.js';
import { SuggestedValues } from './suggested-values.js';

export interface FilterDialogProps {
  field: FilterField;
  onAdd(field: FilterField, value: string): void;
  onClose(): void;
}

/** The question for the value of a filter. */
export function FilterDialog({ field, onAdd, onClose }: FilterDialogProps) {
  const { label, facet, unit } = field;
  const formId = useId();
  const [value, setValue] = useState('');
  const [fault, setFault] = useState<string | undefined>();
  const add = (chosen: string): void => {
    const read = unit === undefined ? chosen : readAmount(chosen, unit);
    if (read === null || read === '') {
      setFault(unit === undefined ? `Type or choose a ${label.toLowerCase()}.` : AMOUNT_HINTS[unit]);
      return;
    }
    onClose();
    onAdd(field, read);
  };
  const submit = (
    <Button type="submit" form={formId} variant="primary">
      Apply
    </Button>
  );
  return (
    <Dialog title={`Filter by ${label.toLowerCase()}`} size="small" onClose={onClose} actions={submit}>
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          add(value);
        }}
      >
        {facet === undefined ? (
          <TextField
            label={label}
            value={value}
            fault={fault}
            {...(unit && { hint: AMOUNT_HINTS[unit] })}
            onChange={({ target }) => setValue(target.value)}
          />
        ) : (
          <>
            <SuggestedValues label={label} facet={facet} value={value} onType={setValue} onChoose={add} />
            {fault !== undefined && <p role="alert">{fault}</p>}
          </>
        )}
      </form>
    </Dialog>
  );
}
