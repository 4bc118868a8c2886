import { formatCounted } from '@spandrel/contract/browser';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { importBundle } from '../../api/upload.js';
import { useMayWrite } from '../../components/button.js';
import { notify, notifyError } from '../../components/notify.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { traceAddress } from '../../features/addresses.js';

/** Takes in files of traces that are dropped on the page, or chosen by a command of the command menu. */
export function OpenFile() {
  const mayWrite = useMayWrite();
  const navigate = useNavigate();
  const client = useQueryClient();
  const open = async (file: File): Promise<void> => {
    notify(`Opening ${file.name}`);
    try {
      const ids = await importBundle(file);
      notify(`Imported ${formatCounted(ids.length, 'trace')} of ${file.name}`);
      await client.invalidateQueries();
      const address = ids.length === 1 ? traceAddress(ids[0]!) : '/traces';
      await navigate({ to: address, ...(ids.length > 1 && { search: { tag: ['imported'] } as never }) });
    } catch (error) {
      notifyError(`${file.name} was not imported`, error as Error);
    }
  };
  const choose = (): void => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.html';
    input.addEventListener('change', () => input.files?.[0] && void open(input.files[0]));
    input.click();
  };
  useShortcuts([{ keys: '', label: 'Open a file of traces', group: 'Traces', writes: true, run: choose }]);
  const drop = useEffectEvent((event: DragEvent) => {
    const file = [...(event.dataTransfer?.files ?? [])].find(({ name }) => name.endsWith('.html'));
    if (!mayWrite || file === undefined) return;
    event.preventDefault();
    void open(file);
  });
  useEffect(() => {
    const ends = new AbortController();
    const { signal } = ends;
    // A drop is offered to the page only where it says that it would take it.
    addEventListener('dragover', (event) => event.dataTransfer?.types.includes('Files') && event.preventDefault(), {
      signal,
    });
    addEventListener('drop', (event) => drop(event), { signal });
    return () => ends.abort();
  }, []);
  return null;
}
