import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../components/button.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { datapointAddress } from '../../features/dataset-link.js';
import { EvaluateButton } from './evaluate-button.js';
import styles from './dataset-page.module.css';

export interface DatapointActionsProps {
  datasetId: string;
  onImported(): void;
}

const ExportMenu = lazy(async () => ({ default: (await import('./export-menu.js')).ExportMenu }));
const ImportDialog = lazy(async () => ({ default: (await import('./import-dialog.js')).ImportDialog }));

/** How datapoints come into a dataset and out of it. */
export function DatapointActions({ datasetId, onImported }: DatapointActionsProps) {
  const navigate = useNavigate();
  const [isImporting, setIsImporting] = useState(false);
  const add = (): void => void navigate({ to: datapointAddress(datasetId, 'new') });
  const openImport = (): void => setIsImporting(true);
  useShortcuts([
    { keys: '', label: 'Add datapoint', writes: true, group: 'Dataset', run: add },
    { keys: '', label: 'Import datapoints', writes: true, group: 'Dataset', run: openImport },
  ]);
  return (
    <div className={styles.actions}>
      <Button writes icon="plus" onClick={add}>
        Add datapoint
      </Button>
      <Button writes icon="arrowUp" onClick={openImport}>
        Import
      </Button>
      <Suspense
        fallback={
          <Button icon="download" disabled>
            Export
          </Button>
        }
      >
        <ExportMenu datasetId={datasetId} />
      </Suspense>
      <EvaluateButton datasetId={datasetId} />
      {isImporting && (
        <Suspense fallback={null}>
          <ImportDialog datasetId={datasetId} onImported={onImported} onClose={() => setIsImporting(false)} />
        </Suspense>
      )}
    </div>
  );
}
