import { formatCount } from '@spandrel/contract/browser';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { SelectField, TextArea } from '../../components/field.js';
import { EARLIER_MAX } from '../messages/message-view.js';
import {
  countEarlier,
  readFields,
  writeFields,
  fieldOf,
  faultOfField,
  readAs,
  type DatapointFields,
  type ConversationFields,
  type MessageFields,
  type GenericFields,
  type GenericMember,
  type FormField,
} from './datapoint-fields.js';
import type { DatapointText } from './datapoint-text.js';
import styles from './datapoint-form.module.css';

interface DatapointFormProps {
  draft: DatapointText;
  /** Whether the text has its variant around the members. */
  isWrapped?: boolean;
  onChange(draft: DatapointText): void;
}

/**
 * A datapoint by its fields. The text stays what is saved: what the form says is written into it at once, and read from it
 * where somebody else changed it. JSON that is not finished makes a text with a fault, which the form alone can still show.
 */
export function DatapointForm({ draft, isWrapped = false, onChange }: DatapointFormProps) {
  const [shown, setShown] = useState(() => ({ draft, form: readFields(draft) }));
  const isOutdated = shown.draft.text !== draft.text || shown.draft.variant !== draft.variant;
  const { form } = isOutdated ? { form: readFields(draft) } : shown;
  const change = (next: DatapointFields): void => {
    const written = { variant: next.variant, text: writeFields(next, isWrapped) };
    setShown({ draft: written, form: next });
    onChange(written);
  };
  if (form === null) return <p>This text cannot be shown as a form. Fix it in the tab JSON, or choose another kind.</p>;
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

const ROLES = ['system', 'user', 'assistant', 'tool'];

function ConversationForm({ form, onChange }: { form: ConversationFields; onChange(form: ConversationFields): void }) {
  return (
    <>
      <MessagesForm messages={form.messages} onChange={(messages) => onChange({ ...form, messages })} />
      <ValueField
        label="Expected"
        name={EXPECTED}
        field={form.expected}
        onChange={(expected) => onChange({ ...form, expected })}
      />
      <ValueField
        label="Metadata"
        isJson
        field={form.metadata}
        onChange={(metadata) => onChange({ ...form, metadata })}
      />
    </>
  );
}

/** The name of the field with what is expected. */
export const EXPECTED = 'expected';

interface MessagesFormProps {
  messages: readonly MessageFields[];
  onChange(messages: readonly MessageFields[]): void;
}

/** Messages as fields, those before the last question when they are asked for. */
function MessagesForm({ messages, onChange }: MessagesFormProps) {
  const [isWhole, setIsWhole] = useState(false);
  // What is folded stays folded while roles are changed below it.
  const [earlier] = useState(() => countEarlier(messages));
  const isFolded = earlier > EARLIER_MAX && !isWhole;
  const add = (): void => {
    const role = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
    onChange([...messages, { role, content: fieldOf(''), rest: {} }]);
  };
  return (
    <>
      {isFolded && (
        <Button variant="quiet" className={styles.add} onClick={() => setIsWhole(true)}>
          {`Show earlier messages (${formatCount(earlier)})`}
        </Button>
      )}
      {messages.map((message, at) =>
        isFolded && at < earlier ? null : (
          <MessageForm
            // Messages have no ids; their fields hold no state of their own.
            key={at}
            number={at + 1}
            message={message}
            onChange={(next) => onChange(messages.with(at, next))}
            onRemove={() => onChange(messages.toSpliced(at, 1))}
            {...(at > 0 && { onMoveUp: () => onChange(messages.toSpliced(at - 1, 2, message, messages[at - 1]!)) })}
          />
        ),
      )}
      <Button icon="plus" className={styles.add} onClick={add}>
        Add message
      </Button>
    </>
  );
}

interface MessageFormProps {
  /** Counts from 1. */
  number: number;
  message: MessageFields;
  onChange(message: MessageFields): void;
  onRemove(): void;
  /** Left out for the first one. */
  onMoveUp?: () => void;
}

function MessageForm({ number, message, onChange, onRemove, onMoveUp }: MessageFormProps) {
  const roles = ROLES.includes(message.role) ? ROLES : [...ROLES, message.role];
  return (
    <fieldset className={styles.message}>
      <legend>Message {number}</legend>
      <div className={styles.messageBar}>
        <SelectField
          label="Role"
          options={roles.map((role) => ({ value: role, label: role }))}
          value={message.role}
          onChange={({ target }) => onChange({ ...message, role: target.value })}
        />
        {onMoveUp && (
          <Button icon="arrowUp" iconOnly onClick={onMoveUp}>
            Move message {number} up
          </Button>
        )}
        <Button icon="trash" iconOnly onClick={onRemove}>
          Remove message {number}
        </Button>
      </div>
      <ValueField
        label="Content"
        isFolded={message.role === 'system' || message.role === 'developer'}
        field={message.content}
        onChange={(content) => onChange({ ...message, content })}
      />
    </fieldset>
  );
}

/** Members in the order of the form; the last two are JSON and never a text. */
const MEMBERS: readonly (readonly [GenericMember, label: string, isJson: boolean])[] = [
  ['input', 'Input', false],
  ['expected_output', 'Expected output', false],
  ['actual_output', 'Actual output', false],
  ['score', 'Score', true],
  ['metadata', 'Metadata', true],
];

function GenericForm({ form, onChange }: { form: GenericFields; onChange(form: GenericFields): void }) {
  const { messages } = form;
  return MEMBERS.map(([member, label, isJson]) =>
    member === 'input' && messages !== null ? (
      <MessagesForm key={member} messages={messages} onChange={(next) => onChange({ ...form, messages: next })} />
    ) : (
      <ValueField
        key={member}
        label={label}
        isJson={isJson}
        {...(member === 'expected_output' && { name: EXPECTED })}
        {...(member === 'score' && { rows: 1 })}
        field={form.fields[member]}
        onChange={(field) => onChange({ ...form, fields: { ...form.fields, [member]: field } })}
      />
    ),
  );
}

interface ValueFieldProps {
  label: string;
  field: FormField;
  onChange(field: FormField): void;
  /** Whether the value is JSON and never a text. */
  isJson?: boolean;
  /** Lines that are shown at least. */
  rows?: number;
  /** Whether two lines of a long text are shown until somebody goes into it. */
  isFolded?: boolean;
  /** Name of the field, by which it is found. */
  name?: string;
}

const WAYS = [
  { value: 'text', label: 'Text' },
  { value: 'json', label: 'JSON' },
];
const ROWS_MAX = 16;
/** Characters that a line of the form has room for, about. */
const ROW_LENGTH = 100;
/** A folded text of up to so many lines is shown whole. */
const FOLDED_ROWS = 6;

/** Lines that a text takes in the form, as far as they are shown. */
const linesOf = (text: string): number =>
  text.split('\n', ROWS_MAX).reduce((lines, line) => lines + Math.max(1, Math.ceil(line.length / ROW_LENGTH)), 0);

/** A value of a datapoint: a text, or JSON of any kind. */
function ValueField({ label, field, onChange, isJson = false, rows = 2, isFolded = false, name }: ValueFieldProps) {
  const [isEntered, setIsEntered] = useState(false);
  const lines = Math.min(ROWS_MAX, linesOf(field.text));
  const isShort = isFolded && !isEntered && lines > FOLDED_ROWS;
  return (
    <div className={styles.value}>
      <TextArea
        label={label}
        dir="auto"
        rows={isShort ? rows : Math.max(rows, lines)}
        name={name}
        onFocus={() => setIsEntered(true)}
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
