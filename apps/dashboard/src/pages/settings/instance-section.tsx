import { useState } from 'react';
import { formatCounted, NONE } from '@spandrel/contract/browser';
import type { Capabilities } from '../../api/capabilities.js';
import { EXPORT_ADDRESS } from '../../api/transfer.js';
import { Button } from '../../components/button.js';
import { useCapabilities } from '../../features/payload/use-capabilities.js';
import { DeleteAllTraces } from './delete-all-traces.js';
import { ImportExportDialog } from './import-export-dialog.js';
import { Row, Section } from './section.js';
import styles from './settings-page.module.css';

interface InstanceSectionProps {
  /** Whether whoever looks at the page may read the project. */
  mayRead: boolean;
  /** Whether they may change it. */
  mayWrite: boolean;
}

/** What this instance is, and what is done with all that it has. */
export function InstanceSection({ mayRead, mayWrite }: InstanceSectionProps) {
  const capabilities = useCapabilities();
  const [opened, setOpened] = useState<'import' | 'delete' | null>(null);
  const close = (): void => setOpened(null);
  return (
    <Section title="Instance">
      <Row name="Version">{capabilities?.version ?? NONE}</Row>
      <Row name="Mode">{capabilities ? describeMode(capabilities) : NONE}</Row>
      <Row name="Dashboard and API">{location.origin}</Row>
      <Row name="Gateway">{capabilities ? (capabilities.gateway_url ?? 'Not known to this server') : NONE}</Row>
      <Row name="Traces are kept">{capabilities ? describeRetention(capabilities) : NONE}</Row>
      <div className={styles.buttons}>
        {mayRead && (
          <a href={EXPORT_ADDRESS} download>
            Download everything
          </a>
        )}
        {/* In cloud mode they are the operator's, who has no session. */}
        {capabilities?.mode === 'local' && (
          <a href="/metrics" target="_blank" rel="noreferrer">
            Metrics
          </a>
        )}
        <a href="/docs" target="_blank" rel="noreferrer">
          API
        </a>
      </div>
      {mayWrite && (
        <div className={styles.buttons}>
          <Button onClick={() => setOpened('import')}>Import an export</Button>
          <Button variant="danger" icon="trash" onClick={() => setOpened('delete')}>
            Delete all traces
          </Button>
        </div>
      )}
      {opened === 'import' && <ImportExportDialog onClose={close} />}
      {opened === 'delete' && <DeleteAllTraces onClose={close} />}
    </Section>
  );
}

const describeMode = ({ mode }: Capabilities): string =>
  mode === 'local' ? 'Local: one machine, no logins' : 'Cloud: organizations, projects and keys';

const describeRetention = ({ retention_days: days }: Capabilities): string =>
  days === null ? 'For ever' : `For ${formatCounted(days, 'day')}`;
