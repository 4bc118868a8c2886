import type { TraceListItem } from '@spandrel/contract';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { traceJsonAddress } from '../../api/trace.js';
import { Button } from '../../components/button.js';
import { copyText } from '../../components/copy-text.js';
import { followDownload } from '../../components/download-text.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { PageHeading } from '../../components/page-heading.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { FactList } from '../../features/facts/fact-list.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { nameOfTrace, traceAddress } from '../../features/trace-link.js';
import { lastTraceList } from '../../features/trace-list-memory.js';
import { DeleteTrace } from './delete-trace.js';
import { traceFacts } from './trace-facts.js';
import { traceLink } from './trace-addresses.js';
import styles from './trace-page.module.css';

/** The trace as a whole, and what can be done with it. */
export function TraceHeader({ trace, isDeleted }: { trace: TraceListItem; isDeleted: boolean }) {
  const [isDeleting, setIsDeleting] = useState(false);
  const copyLink = (): void => copy('the link', traceLink(trace.id));
  const copyId = (): void => copy('the trace ID', trace.id);
  const download = (): void => followDownload(traceJsonAddress(trace.id), `trace-${trace.id}.json`);
  const { times } = usePreferences();
  useShortcuts([
    { keys: '', label: 'Copy link', group: 'Trace', run: copyLink },
    { keys: '', label: 'Copy trace ID', group: 'Trace', run: copyId },
    { keys: '', label: 'Download JSON', group: 'Trace', run: download },
    { keys: '', label: 'Delete trace', writes: true, group: 'Trace', run: () => setIsDeleting(!isDeleted) },
  ]);
  return (
    <header className={styles.header}>
      <PageHeading title={nameOfTrace(trace)}>
        <Neighbours id={trace.id} />
        <span className={styles.actions}>
          <Button icon="link" onClick={copyLink}>
            Copy link
          </Button>
          <Button icon="copy" onClick={copyId}>
            Copy trace ID
          </Button>
          <Button icon="download" onClick={download}>
            Download JSON
          </Button>
          <Button writes icon="trash" variant="danger" disabled={isDeleted} onClick={() => setIsDeleting(true)}>
            Delete trace
          </Button>
        </span>
      </PageHeading>
      {isDeleted && (
        <p role="status" className={styles.deleted}>
          This trace has been deleted. What is on screen is all that is left of it.
        </p>
      )}
      <FactList label="Trace facts" facts={traceFacts(trace, times)} />
      {isDeleting && <DeleteTrace trace={trace} onClose={() => setIsDeleting(false)} />}
    </header>
  );
}

function copy(what: string, text: string): void {
  copyText(text).then(
    () => notify(`Copied ${what}`),
    (error: Error) => notifyError(`Could not copy ${what}`, error),
  );
}

/** The traces before and after this one in the list that it was opened from. */
function Neighbours({ id }: { id: string }) {
  const navigate = useNavigate();
  const ids = lastTraceList()?.ids ?? [];
  const at = ids.indexOf(id);
  const previous = at > 0 ? ids[at - 1] : undefined;
  const next = at === -1 ? undefined : ids[at + 1];
  const open = (to: string | undefined): void => {
    if (to !== undefined) void navigate({ to: traceAddress(to) });
  };
  useShortcuts([
    { keys: '[', label: 'Previous trace', group: 'Trace', run: () => open(previous) },
    { keys: ']', label: 'Next trace', group: 'Trace', run: () => open(next) },
  ]);
  return (
    <span className={styles.actions}>
      <Button icon="arrowUp" shortcut="[" disabled={previous === undefined} onClick={() => open(previous)}>
        Previous trace
      </Button>
      <Button icon="arrowDown" shortcut="]" disabled={next === undefined} onClick={() => open(next)}>
        Next trace
      </Button>
    </span>
  );
}
