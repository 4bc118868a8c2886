import { useState } from 'react';
import { ConversationForm } from './conversation-form.js';
import { readFields, writeFields, type DatapointFields } from './datapoint-fields.js';
import type { DatapointText } from './datapoint-text.js';
import { GenericForm } from './generic-form.js';
import styles from './datapoint-form.module.css';

export interface DatapointFormProps {
  draft: DatapointText;
  onChange(draft: DatapointText): void;
}

/**
 * A datapoint by its fields. The text stays what is saved: what the form says is written into it at once, and read from it
 * where somebody else changed it. JSON that is not finished makes a text with a fault, which the form alone can still show.
 */
export function DatapointForm({ draft, onChange }: DatapointFormProps) {
  const [shown, setShown] = useState(() => ({ draft, form: readFields(draft) }));
  const isOutdated = shown.draft.text !== draft.text || shown.draft.variant !== draft.variant;
  const { form } = isOutdated ? { form: readFields(draft) } : shown;
  const change = (next: DatapointFields): void => {
    const written = { variant: next.variant, text: writeFields(next) };
    setShown({ draft: written, form: next });
    onChange(written);
  };
  if (form === null)
    return <p>The text is not one that can be shown as a form. Mend it in the tab JSON, or choose another kind.</p>;
  return (
    <div className={styles.form}>
      {form.variant === 'Generic' ? (
        <GenericForm form={form} onChange={change} />
      ) : (
        <ConversationForm form={form} onChange={change} />
      )}
    </div>
  );
}
