import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { findById, type Found } from '../api/find-by-id.js';
import { Dialog } from '../components/dialog.js';
import { notifyError } from '../components/notifications/notify.js';
import { setPreferences, usePreferences } from '../components/preferences/use-preferences.js';
import { useShortcutList } from '../components/shortcuts/use-shortcuts.js';
import { datasetAddress } from '../features/dataset-link.js';
import { runAddress } from '../features/runs/run-link.js';
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
    if (found === null) throw new Error(`No trace, span, dataset or run has the id ${id}.`);
    open(addressOf(found));
  } catch (error) {
    notifyError('Nothing was opened', error as Error);
  }
}

function addressOf(found: Found): string {
  switch (found.kind) {
    case 'dataset':
      return datasetAddress(found.datasetId);
    case 'run':
      return runAddress(found.runId);
    case 'span':
      return `${traceAddress(found.traceId)}?span=${encodeURIComponent(found.spanId)}`;
    case 'trace':
      return traceAddress(found.traceId);
  }
}
