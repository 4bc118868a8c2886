import { CSPProvider } from '@base-ui/react/csp-provider';
import { Menu } from '@base-ui/react/menu';
import { exportAddress } from '../../api/dataset.js';
import { Button } from '../../components/button.js';
import styles from './export-menu.module.css';

const FORMATS = [
  { format: 'jsonl', label: 'JSON Lines' },
  { format: 'json', label: 'JSON' },
  { format: 'csv', label: 'CSV' },
] as const;

/** The button `Export`: a link for each format in which the datapoints can be saved. */
export function ExportMenu({ datasetId }: { datasetId: string }) {
  return (
    <CSPProvider disableStyleElements>
      <Menu.Root>
        <Menu.Trigger render={<Button icon="download" />}>Export</Menu.Trigger>
        <Menu.Portal container={document.querySelector('main')}>
          <Menu.Positioner sideOffset={4} align="start" className={styles.positioner}>
            <Menu.Popup className={styles.popup} aria-label="Export">
              {FORMATS.map(({ format, label }) => (
                <Menu.LinkItem
                  key={format}
                  className={styles.item}
                  href={exportAddress(datasetId, format)}
                  download=""
                  closeOnClick
                >
                  {label}
                </Menu.LinkItem>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </CSPProvider>
  );
}
