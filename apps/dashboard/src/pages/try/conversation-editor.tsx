import type { DatapointMessage } from '@spandrel/contract';
import { isObject, listOf } from '@spandrel/contract/browser';
import { Button } from '../../components/button.js';
import { SelectField, TextArea } from '../../components/field.js';
import type { Message, MessageReading } from '../../features/messages/message.js';
import { MessageList } from '../../features/messages/message-view.js';
import styles from './try-page.module.css';

/** A message that is edited, and how what cannot be edited of it is shown. */
export interface EditedMessage {
  key: number;
  message: DatapointMessage;
  shown: Message | null;
}

const ROLES = ['system', 'user', 'assistant', 'tool'];
const READING: MessageReading = { format: 'text', wraps: true, sought: '' };

interface ConversationEditorProps {
  messages: readonly EditedMessage[];
  onChange(messages: readonly EditedMessage[]): void;
}

/** A conversation whose texts are edited; images, calls of tools and their results stay as they are. */
export function ConversationEditor({ messages, onChange }: ConversationEditorProps) {
  const change = (key: number, changed: Partial<DatapointMessage>): void =>
    onChange(messages.map((one) => (one.key === key ? { ...one, message: { ...one.message, ...changed } } : one)));
  const last = messages.at(-1);
  const add = (): void => {
    const role = last?.message.role === 'user' ? 'assistant' : 'user';
    onChange([...messages, { key: (last?.key ?? -1) + 1, message: { role, content: '' }, shown: null }]);
  };
  return (
    <section aria-label="Conversation" className={styles.conversation}>
      <h2>Conversation</h2>
      {messages.map(({ key, message, shown }, at) => (
        <fieldset key={key} className={styles.message}>
          <legend className="visually-hidden">Message {at + 1}</legend>
          <div className={styles.role}>
            <SelectField
              label={`Role of message ${at + 1}`}
              isLabelHidden
              options={[...new Set([...ROLES, message.role])].map((role) => ({ value: role, label: role }))}
              value={message.role}
              onChange={({ currentTarget: { value } }) => change(key, { role: value })}
            />
            <Button
              variant="quiet"
              icon="close"
              iconOnly
              onClick={() => onChange(messages.filter((one) => one.key !== key))}
            >
              {`Remove message ${at + 1}`}
            </Button>
          </div>
          <Texts name={`Message ${at + 1}`} message={message} onChange={(content) => change(key, { content })} />
          <Rest shown={shown} />
        </fieldset>
      ))}
      <Button icon="plus" className={styles.alone} onClick={add}>
        Add message
      </Button>
    </section>
  );
}

interface TextsProps {
  name: string;
  message: DatapointMessage;
  onChange(content: unknown): void;
}

function Texts({ name, message: { content, tool_calls: calls }, onChange }: TextsProps) {
  if (Array.isArray(content)) {
    return content.map((part: unknown, at) =>
      isObject(part) && typeof part['text'] === 'string' ? (
        <Text
          // oxlint-disable-next-line react/no-array-index-key -- parts have no other name than their place
          key={at}
          name={`${name}, part ${at + 1}`}
          text={part['text']}
          onChange={(text) => onChange(content.with(at, { ...part, text }))}
        />
      ) : null,
    );
  }
  if (isObject(content) || (typeof content !== 'string' && listOf(calls).length > 0)) return null;
  return <Text name={name} text={typeof content === 'string' ? content : ''} onChange={onChange} />;
}

const ROWS_MAX = 16;
const CHARACTERS_OF_ROW = 70;

function Text({ name, text, onChange }: { name: string; text: string; onChange(text: string): void }) {
  const rows = text.split('\n').reduce((sum, line) => sum + 1 + Math.floor(line.length / CHARACTERS_OF_ROW), 0);
  return (
    <TextArea
      label={name}
      isLabelHidden
      dir="auto"
      rows={Math.min(ROWS_MAX, Math.max(2, rows))}
      value={text}
      onChange={({ currentTarget: { value } }) => onChange(value)}
    />
  );
}

function Rest({ shown }: { shown: Message | null }) {
  const parts = shown?.parts.filter(({ type }) => type !== 'text') ?? [];
  return parts.length === 0 ? null : <MessageList messages={[{ ...shown!, parts }]} reading={READING} />;
}
