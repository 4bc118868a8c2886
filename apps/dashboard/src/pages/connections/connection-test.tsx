import type { ConnectionResource, ConnectionTestResult } from '@spandrel/contract';
import { formatCounted } from '@spandrel/contract/browser';
import { formatDuration } from '../../components/format/format-duration.js';
import styles from './connections-page.module.css';

/** A test of a connection that is under way, or what came of it. */
export interface ShownTest {
  connection: ConnectionResource;
  result: ConnectionTestResult | null;
}

/** What came of the latest test of a connection, with the models that it reaches. */
export function ConnectionTest({ test }: { test: ShownTest | null }) {
  const models = test?.result?.models ?? [];
  return (
    <section
      aria-label={test === null ? 'Test' : `Test of ${test.connection.name}`}
      className={test === null ? undefined : styles.test}
    >
      {test !== null && <h2>Test of {test.connection.name}</h2>}
      {/* It is there before it says anything, else what it says first is not read out. */}
      <p role="status" aria-label="Test result">
        {test === null ? '' : describeTest(test.result)}
      </p>
      {models.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keys
        <ul aria-label="Models" className={styles.models} tabIndex={0}>
          {models.map((model) => (
            <li key={model}>{model}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** `Reached in 12 ms · 3 models`, or why it was not. */
function describeTest(result: ConnectionTestResult | null): string {
  if (result === null) return 'Testing …';
  if (!result.ok) return `Failed: ${result.error ?? 'the provider gave no reason'}`;
  return `Reached in ${formatDuration(result.latency_ms)} · ${formatCounted(result.models?.length ?? 0, 'model')}`;
}
