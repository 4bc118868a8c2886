import type { ReactNode } from 'react';
import { useMayWrite } from '../../components/button.js';
import { EmptyState, PageHeading } from '../../components/page-parts.js';
import { useHasFeature } from '../browser-session.js';

/** A page of alerts, where the server has them. */
export function WithAlerts({ children }: { children: ReactNode }) {
  const has = useHasFeature('alerts');
  const mayWrite = useMayWrite();
  if (has !== true) {
    return (
      <>
        <PageHeading title="Alerts" />
        {has === false && <EmptyState title="This server has no alerts: its settings leave them out (features)" />}
      </>
    );
  }
  return (
    <>
      {children}
      {!mayWrite && <p>You may read alerts. To change them takes the scope write.</p>}
    </>
  );
}
