import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import styles from './field.module.css';

interface FieldFrame {
  label: string;
  /** Keeps the label for screen readers alone, where the place says enough. */
  isLabelHidden?: boolean;
  fault?: string | undefined;
  hint?: string;
}

export interface TextFieldProps extends FieldFrame, InputHTMLAttributes<HTMLInputElement> {
  ref?: Ref<HTMLInputElement> | undefined;
  /** Values to choose from; any other one may be typed, too. */
  suggestions?: readonly string[] | undefined;
}

/** A text field with its label; `type="search"` makes a searchbox. */
export function TextField({ label, isLabelHidden, fault, hint, ref, className, suggestions, ...rest }: TextFieldProps) {
  const id = useId();
  const listId = `${id}-suggestions`;
  return (
    <Frame id={id} {...{ label, isLabelHidden, fault, hint, className }}>
      <input
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...(suggestions && { list: listId })}
        {...rest}
        ref={ref}
        id={id}
        className={styles.control}
        {...described(id, fault, hint)}
      />
      {suggestions && (
        <datalist id={listId} hidden>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </Frame>
  );
}

export interface SelectFieldProps extends FieldFrame, SelectHTMLAttributes<HTMLSelectElement> {
  options: readonly { value: string; label: string }[];
}

/** A choice of few, by the browser's own control. */
export function SelectField({ label, isLabelHidden, fault, hint, options, className, ...rest }: SelectFieldProps) {
  const id = useId();
  return (
    <Frame id={id} {...{ label, isLabelHidden, fault, hint, className }}>
      <select {...rest} id={id} className={styles.control} {...described(id, fault, hint)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  );
}

export interface TextAreaProps extends FieldFrame, TextareaHTMLAttributes<HTMLTextAreaElement> {}

/** A field for a text of several lines. */
export function TextArea({ label, isLabelHidden, fault, hint, className, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <Frame id={id} {...{ label, isLabelHidden, fault, hint, className }}>
      <textarea spellCheck={false} {...rest} id={id} className={styles.control} {...described(id, fault, hint)} />
    </Frame>
  );
}

export interface CheckboxFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> {
  label: ReactNode;
}

/** A checkbox before its label. */
export function CheckboxField({ label, ...rest }: CheckboxFieldProps) {
  const id = useId();
  return (
    <span className={styles.checkbox}>
      <input {...rest} type="checkbox" id={id} />
      <label htmlFor={id}>{label}</label>
    </span>
  );
}

/** Fields beside each other. */
export const FieldRow = ({ children }: { children: ReactNode }) => <div className={styles.row}>{children}</div>;

interface FrameProps {
  id: string;
  label: string;
  isLabelHidden: boolean | undefined;
  fault: string | undefined;
  hint: string | undefined;
  className: string | undefined;
  children: ReactNode;
}

function Frame({ id, label, isLabelHidden, fault, hint, className, children }: FrameProps) {
  return (
    <div className={[styles.field, className].filter(Boolean).join(' ')}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p id={`${id}-fault`} className={styles.fault} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

function described(id: string, fault: string | undefined, hint: string | undefined) {
  const by = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ');
  return { ...(by !== '' && { 'aria-describedby': by }), ...(fault !== undefined && { 'aria-invalid': true }) };
}
