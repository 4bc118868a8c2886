import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { findById } from '../api/find-by-id.js';
import { Dialog } from '../components/dialog.js';
import { notifyError } from '../components/notifications/notify.js';
import { setPreferences, usePreferences } from '../components/preferences/use-preferences.js';
import { useShortcutList } from '../components/shortcuts/use-shortcuts.js';
import { traceAddress } from '../features/trace-link.js';
import { CommandList } from './command-list.js';
import { commandsFor, type Command } from './commands.js';
import { lastVisits } from './use-visits.js';

/** The command menu, open as long as it is rendered. */
export function CommandDialog({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const open = (address: string): void => void navigate({ to: address });
  const commands = commandsFor({
    text,
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
    const found = await findById(id);
    if (found === null) throw new Error(`No trace and no span has the id ${id}.`);
    const address = traceAddress(found.traceId);
    open(found.kind === 'span' ? `${address}?span=${encodeURIComponent(found.spanId)}` : address);
  } catch (error) {
    notifyError('Nothing was opened', error as Error);
  }
}
