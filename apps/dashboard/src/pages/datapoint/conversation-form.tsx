import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import type { ConversationFields, MessageFields } from './datapoint-fields.js';
import { fieldOf } from './form-field.js';
import { ValueField } from './value-field.js';
import styles from './datapoint-form.module.css';

const ROLES = ['system', 'user', 'assistant', 'tool'];

export interface ConversationFormProps {
  form: ConversationFields;
  onChange(form: ConversationFields): void;
}

/** The messages of a conversation, and what is expected of its next one. */
export function ConversationForm({ form, onChange }: ConversationFormProps) {
  const { messages } = form;
  const change = (next: readonly MessageFields[]): void => onChange({ ...form, messages: next });
  const add = (): void => {
    const role = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
    change([...messages, { role, content: fieldOf(''), rest: {} }]);
  };
  return (
    <>
      {messages.map((message, at) => (
        <MessageForm
          // Messages have no ids; their fields hold no state of their own.
          key={at}
          number={at + 1}
          message={message}
          onChange={(next) => change(messages.with(at, next))}
          onRemove={() => change(messages.toSpliced(at, 1))}
          {...(at > 0 && { onMoveUp: () => change(messages.toSpliced(at - 1, 2, message, messages[at - 1]!)) })}
        />
      ))}
      <Button icon="plus" className={styles.add} onClick={add}>
        Add message
      </Button>
      <ValueField label="Expected" field={form.expected} onChange={(expected) => onChange({ ...form, expected })} />
      <ValueField
        label="Metadata"
        isJson
        field={form.metadata}
        onChange={(metadata) => onChange({ ...form, metadata })}
      />
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
      <ValueField label="Content" field={message.content} onChange={(content) => onChange({ ...message, content })} />
    </fieldset>
  );
}
