import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { readCapabilities } from '../../api/capabilities.js';
import { keys } from '../../api/keys.js';
import { CopyButton } from '../../components/copy-button.js';
import { EmptyState } from '../../components/empty-state.js';
import { TabList, tabId } from '../../components/tabs/tab-list.js';
import { firstCallLines, LANGUAGES, type Language } from './first-call-lines.js';
import styles from './first-call.module.css';

/** Where a gateway is that runs with the server, when the server does not say. */
const USUAL_GATEWAY = 'http://127.0.0.1:3001';

/** What a project without traces shows: the lines that send the first call. */
export function FirstCall() {
  const capabilities = useQuery({
    queryKey: keys.capabilities(),
    queryFn: ({ signal }) => readCapabilities(signal),
    staleTime: Infinity,
  });
  const [language, setLanguage] = useState<Language>('curl');
  const panelId = useId();
  const gateway = capabilities.data?.gateway_url ?? USUAL_GATEWAY;
  const lines = firstCallLines(language, gateway.replace(/\/$/, ''), capabilities.data?.mode === 'cloud');
  return (
    <EmptyState title="No traces yet">
      <p>A trace is one run of your application: its model calls with what went in, came out, and what it cost.</p>
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
          {/* Long lines are scrolled by keys, too. */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <pre className={styles.lines} tabIndex={0}>
            {lines}
          </pre>
        </div>
        <p role="status" className={styles.waiting}>
          Waiting for the first call
        </p>
      </div>
      <p>
        Without a key of a provider: <code>npx spandrel demo</code> records a small example with a fake model.
      </p>
    </EmptyState>
  );
}
