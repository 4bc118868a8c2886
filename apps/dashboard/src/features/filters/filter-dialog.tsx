import type { Facet, FacetName } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { useId, useState } from 'react';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { keys } from '../../api/keys.js';
import { useSettled } from '../../components/hooks.js';
import { AMOUNT_HINTS, readAmount, type FilterField } from './filter-field.js';
import styles from './filter-dialog.module.css';

interface FilterDialogProps {
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

interface SuggestedValuesProps {
  label: string;
  facet: FacetName;
  value: string;
  onType(value: string): void;
  onChoose(value: string): void;
}

const PAUSE_MS = 150;

/** A combobox with the values that there are, those that begin as what is typed. Any other value may be typed, too. */
function SuggestedValues({ label, facet, value, onType, onChoose }: SuggestedValuesProps) {
  const prefix = useSettled(value, PAUSE_MS);
  const found = useQuery({
    queryKey: keys.facets(facet, prefix),
    queryFn: ({ signal }) => api.listFacets({ query: { of: facet, prefix: prefix || undefined }, signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <CSPProvider disableStyleElements>
      <Autocomplete.Root
        open
        inline
        items={found.data?.facets ?? []}
        filter={null}
        value={value}
        onValueChange={(typed) => onType(typed)}
        itemToStringValue={(item: Facet) => item.value}
      >
        <Autocomplete.Input aria-label={label} className={styles.input} spellCheck={false} />
        <Autocomplete.List className={styles.list} aria-label={`Values of ${label.toLowerCase()}`}>
          {(item: Facet) => (
            <Autocomplete.Item
              key={item.value}
              value={item}
              className={styles.item}
              onClick={() => onChoose(item.value)}
            >
              <bdi className={styles.value}>{item.value}</bdi>
              {item.count !== null && <span className={styles.count}>{formatCount(item.count)}</span>}
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </CSPProvider>
  );
}
