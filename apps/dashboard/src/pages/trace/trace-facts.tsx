import type { TraceListItem } from '@spandrel/contract';
import { SHARE_TOKEN } from '../../api/share-token.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { CommentsButton } from '../../features/comments/comments-button.js';
import { FactList } from '../../features/fact-list.js';
import { ScoreList } from '../../features/scores/score-list.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { metadataText } from '../../features/metadata-text.js';
import { traceFacts } from './span-facts.js';
import styles from './trace-page.module.css';

/** The facts of a trace, and on demand all of its metadata. */
export function TraceFacts({ trace }: { trace: TraceListItem }) {
  const { times } = usePreferences();
  const facts = traceFacts(trace, times);
  const members = Object.entries(trace.metadata);
  return (
    <>
      <div className={styles.facts}>
        {/* The page of a link leads to no other page. */}
        <FactList label="Trace facts" facts={SHARE_TOKEN === null ? facts : facts.map(withoutLinks)} />
        <ScoreList label="Trace scores" target={{ trace_id: trace.id }}>
          <CommentsButton target={{ target_type: 'trace', target_id: trace.id, parent_id: trace.id }} />
        </ScoreList>
      </div>
      {members.length > 0 && (
        <details className={styles.metadata}>
          <summary>Metadata</summary>
          <ScrolledTable caption="Trace metadata" isCaptionHidden columns={['Key', 'Value']} starts={['Value']}>
            {members.map(([name, value]) => (
              <tr key={name}>
                <th scope="row" dir="auto">
                  {name}
                </th>
                <td data-align="start" dir="auto">
                  {metadataText(value, 2)}
                </td>
              </tr>
            ))}
          </ScrolledTable>
        </details>
      )}
    </>
  );
}

function withoutLinks({ name, value, exact, links }: ReturnType<typeof traceFacts>[number]) {
  const text = links?.map((link) => link.value).join(', ') ?? value;
  return { name, value: text, ...(exact !== undefined && { exact }) };
}
