import type { Facet, FacetName } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { useId, useState } from 'react';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { useFacets } from './facet-field.js';
import { AMOUNT_HINTS, readAmount, type FilterField } from './filter-field.js';
import styles from '../../components/choice-list.module.css';

interface FilterDialogProps {
  field: FilterField;
  onAdd(field: FilterField, value: string): void;
  onClose(): void;
}

/** What a condition on scores is like (docs/spec/scores.md#finding-by-scores). */
const SCORE_CONDITION = /.[<>=:]./;
const SCORE_HINT = 'A name with a bound or a label, such as helpful<0.5, helpful>=0.8 or tone:rude.';

/** The question for the value of a filter, and for its key where it has one. */
export function FilterDialog({ field, onAdd, onClose }: FilterDialogProps) {
  const { label, facet, unit, words, isKeyed } = field;
  const hint = unit === undefined ? field.isScore && SCORE_HINT : AMOUNT_HINTS[unit];
  const formId = useId();
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const [fault, setFault] = useState<string | undefined>();
  const add = (chosen: string): void => {
    const read = unit === undefined ? (valueOfWord(words, chosen) ?? chosen) : readAmount(chosen, unit);
    if (read === null || read === '' || (isKeyed && key === '') || (field.isScore && !SCORE_CONDITION.test(read))) {
      const asked = isKeyed ? 'Type a key and its value.' : `Type or choose a ${label.toLowerCase()}.`;
      setFault(hint || asked);
      return;
    }
    onClose();
    onAdd(isKeyed ? { ...field, id: `${field.id}.${key}` } : field, read);
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
        {isKeyed && (
          <TextField
            label="Key"
            hint="A member of the metadata, such as environment or release."
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
        )}
        {facet === undefined ? (
          <TextField
            label={isKeyed ? 'Value' : label}
            value={value}
            fault={fault}
            {...(hint && { hint })}
            onChange={({ target }) => setValue(target.value)}
          />
        ) : (
          <>
            <SuggestedValues {...{ label, facet, words, value }} onType={setValue} onChoose={add} />
            {fault !== undefined && <p role="alert">{fault}</p>}
          </>
        )}
      </form>
    </Dialog>
  );
}

/** The value that people call so, whatever the case of its letters. */
function valueOfWord(words: FilterField['words'], typed: string): string | undefined {
  const sought = typed.trim().toLowerCase();
  return [...(words ?? [])].find(([, word]) => word.toLowerCase() === sought)?.[0];
}

interface SuggestedValuesProps {
  words: FilterField['words'] | undefined;
  label: string;
  facet: FacetName;
  value: string;
  onType(value: string): void;
  onChoose(value: string): void;
}

/** A combobox with the values that there are, those that begin as what is typed. Any other value may be typed, too. */
function SuggestedValues({ label, facet, words, value, onType, onChoose }: SuggestedValuesProps) {
  const wordOf = (item: Facet): string => words?.get(item.value) ?? item.value;
  // Words do not begin as the values do; there are few of these.
  const found = useFacets(facet, words === undefined ? value : '');
  return (
    <CSPProvider disableStyleElements>
      <Autocomplete.Root
        open
        inline
        items={found.filter(
          (item) => words === undefined || wordOf(item).toLowerCase().startsWith(value.toLowerCase()),
        )}
        filter={null}
        value={value}
        onValueChange={(text) => onType(text)}
        itemToStringValue={wordOf}
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
              <bdi className={styles.label}>{wordOf(item)}</bdi>
              {item.count !== null && <span className="quiet">{formatCount(item.count)}</span>}
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </CSPProvider>
  );
}
