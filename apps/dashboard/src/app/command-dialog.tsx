import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { api } from '../api/api.js';
import { isNotFound } from '../api/api-error.js';
import { Dialog } from '../components/dialog.js';
import { notifyError } from '../components/notify.js';
import { setPreferences, usePreferences } from '../components/preferences/use-preferences.js';
import { useShortcutList } from '../components/shortcuts/use-shortcuts.js';
import { datasetAddress, runAddress, traceAddress } from '../features/addresses.js';
import { commandsFor, type Command } from './commands.js';
import { useFoundByName } from './found-by-name.js';
import { lastVisits } from './use-visits.js';
import styles from '../components/choice-list.module.css';

/** The command menu, open as long as it is rendered. */
export function CommandDialog({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  // Another project is another document.
  const open = (address: string): void =>
    address.startsWith('/p/') ? location.assign(address) : void navigate({ to: address });
  const found = useFoundByName(text);
  const commands = commandsFor({
    text,
    found,
    open,
    shortcuts: useShortcutList().filter(({ keys }) => keys !== 'mod+k'),
    visits: lastVisits(),
    preferences: usePreferences(),
    prefer: setPreferences,
    openId: (id) => void openById(id, open),
  });
  const choose = (command: Command): void => {
    onClose();
    // The dialog gives the focus back first.
    setTimeout(command.run);
  };
  return (
    <Dialog title="Command menu" onClose={onClose}>
      <CommandList text={text} commands={commands} onType={setText} onChoose={choose} />
    </Dialog>
  );
}

async function openById(id: string, open: (address: string) => void): Promise<void> {
  try {
    const address = (await findRecorded(id)) ?? (await findDataset(id)) ?? (await findRun(id));
    if (address === null) throw new Error(`No trace, span, dataset or run has the id ${id}.`);
    open(address);
  } catch (error) {
    notifyError('Could not open it', error as Error);
  }
}

/** The address of the trace or span of an id; `null` where it is none, as below. */
async function findRecorded(id: string): Promise<string | null> {
  const [trace] = (await api.listTraces({ query: { ids: [id] } })).traces;
  if (trace !== undefined) return traceAddress(trace.id);
  const [span] = (await api.listSpans({ query: { ids: [id], view: 'outline', limit: 1 } })).spans;
  return span === undefined ? null : `${traceAddress(span.trace_id)}?span=${encodeURIComponent(span.id)}`;
}

const findDataset = (id: string): Promise<string | null> =>
  api.getDataset({ path: { id } }).then((found) => datasetAddress(found.id), nullIfMissing);

const findRun = (id: string): Promise<string | null> =>
  api.getEval({ path: { id }, query: { items: 'none' } }).then((found) => runAddress(found.id), nullIfMissing);

function nullIfMissing(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}

interface CommandListProps {
  text: string;
  commands: readonly Command[];
  onType(text: string): void;
  onChoose(command: Command): void;
}

/** The combobox of the command menu with what it found. */
export function CommandList({ text, commands, onType, onChoose }: CommandListProps) {
  return (
    <CSPProvider disableStyleElements>
      <Autocomplete.Root
        open
        inline
        items={commands}
        filter={null}
        value={text}
        onValueChange={(value) => onType(value)}
        itemToStringValue={(command: Command) => command.label}
        autoHighlight="always"
        keepHighlight
      >
        <Autocomplete.Input
          aria-label="Command"
          placeholder="A page, an action, a name, or an ID"
          className={styles.input}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the one field of a dialog that was asked for
          autoFocus
        />
        <Autocomplete.Empty className={styles.empty}>No command matches.</Autocomplete.Empty>
        <Autocomplete.List className={styles.list} aria-label="Commands">
          {(command: Command) => (
            <Autocomplete.Item
              key={command.id}
              value={command}
              className={styles.item}
              onClick={() => onChoose(command)}
            >
              <span className={styles.label}>{command.label}</span>
              <span className="small">{command.group}</span>
              {command.keys && <kbd aria-hidden="true">{command.keys}</kbd>}
            </Autocomplete.Item>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </CSPProvider>
  );
}
