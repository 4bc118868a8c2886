import { ChoiceGroup } from '../../components/choice-group.js';
import { TextArea, TextField } from '../../components/field.js';
import { choicesOf, type ScoreForm } from './score-answer.js';
import styles from './score-field.module.css';

interface ScoreFieldProps {
  name: string;
  /** Absent where the score has no definition. */
  definition: (ScoreForm & { description: string | null }) | undefined;
  text: string;
  fault: string | undefined;
  /** Whether keys choose its answers, which shows them. */
  hasKeys?: boolean;
  onChange(text: string): void;
}

/** Answers that a key of its own chooses. */
export const KEYS_MAX = 9;

/** A field for a score by its definition: a choice, a number, or a text. */
export function ScoreField({ name, definition, text, fault, hasKeys = false, onChange }: ScoreFieldProps) {
  const choices = choicesOf(definition);
  const hint = [definition?.description, rangeOf(definition)].filter(Boolean).join(' ');
  const field = { label: name, fault, ...(hint !== '' && { hint }), name, value: text };
  if (choices === null) {
    const change = ({ target: { value } }: { target: { value: string } }): void => onChange(value);
    return definition?.kind === 'text' ? (
      <TextArea rows={2} dir="auto" {...field} onChange={change} />
    ) : (
      <TextField inputMode={definition ? 'decimal' : 'text'} {...field} onChange={change} />
    );
  }
  return (
    <div className={styles.choice} data-score={name}>
      <span className={styles.label} aria-hidden="true">
        {name}
      </span>
      <ChoiceGroup
        label={name}
        choices={choices.map(({ value, label }, at) => ({
          value,
          label:
            hasKeys && at < KEYS_MAX ? (
              <>
                {label} <kbd aria-hidden="true">{at + 1}</kbd>
              </>
            ) : (
              label
            ),
        }))}
        value={text}
        onChange={onChange}
      />
      {hint !== '' && <p className={styles.label}>{hint}</p>}
      {fault !== undefined && (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function rangeOf(form: ScoreForm | undefined): string {
  const { min = null, max = null } = form ?? {};
  if (min !== null && max !== null) return `From ${min} to ${max}.`;
  if (min !== null) return `${min} or more.`;
  return max === null ? '' : `${max} or less.`;
}
