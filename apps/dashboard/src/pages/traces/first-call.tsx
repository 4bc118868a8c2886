import { useId, useState } from 'react';
import { CopyButton } from '../../components/copy-button.js';
import { EmptyState } from '../../components/page-parts.js';
import { TabList, tabId } from '../../components/tab-list.js';
import { useCapabilities } from '../../features/browser-session.js';
import { firstCallLines, LANGUAGES, type Language } from './first-call-lines.js';
import styles from './first-call.module.css';

const UNKNOWN_GATEWAY = 'https://your-gateway.example';

/** What a project without traces shows: the lines that send the first call. */
export function FirstCall() {
  const [language, setLanguage] = useState<Language>('curl');
  const panelId = useId();
  const { mode, gateway_url: gateway } = useCapabilities() ?? {};
  const lines = firstCallLines(language, gateway ?? UNKNOWN_GATEWAY, mode === 'cloud');
  return (
    <EmptyState title="No traces yet">
      <p>A trace is one run of your application: its model calls with inputs, outputs and costs.</p>
      <div role="group" aria-label="Send your first call" className={styles.group}>
        <div className={styles.head}>
          <h3 aria-hidden="true">Send your first call</h3>
          <TabList<Language>
            label="Language"
            items={LANGUAGES}
            selected={language}
            panelId={panelId}
            onSelect={setLanguage}
          />
          <CopyButton text={lines}>Copy</CopyButton>
        </div>
        <div id={panelId} role="tabpanel" aria-labelledby={tabId(panelId, language)}>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long lines are scrolled by keys, too */}
          <pre className={styles.lines} tabIndex={0}>
            {lines}
          </pre>
        </div>
        {gateway === null && (
          <p>
            This server does not know the address of its gateway (<code>SPANDREL_GATEWAY_URL</code>). Replace the
            placeholder.
          </p>
        )}
        {mode === 'cloud' && (
          <p>
            <code>SPANDREL_KEY</code> is a key of this project with the scope <code>ingest</code>.
          </p>
        )}
        <p role="status" className={styles.waiting}>
          Waiting for the first call
        </p>
      </div>
      {mode === 'local' && (
        <p>
          Without a key of a provider: <code>npx spandrel demo</code> records a small example with a fake model.
        </p>
      )}
    </EmptyState>
  );
}
