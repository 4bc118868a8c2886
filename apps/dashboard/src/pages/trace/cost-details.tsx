import type { SpanCost, SpanOutline } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { formatCost, formatCostExactly } from '../../components/format.js';
import { FaultNotice } from '../../components/page-parts.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { measureOf, statusWordOf } from '../../features/trace-span.js';
import { costSourceText, partName, unitText } from './cost-words.js';
import styles from './span-details.module.css';

/** How the cost of a finished span came about, or why it has none: asked for when it is opened. */
export function CostDetails({ span }: { span: SpanOutline }) {
  const [isOpen, setIsOpen] = useState(false);
  const cost = measureOf(span, 'cost');
  const used = (measureOf(span, 'total_tokens') ?? 0) > 0;
  if (statusWordOf(span) === 'running' || (cost === null && !used)) return null;
  return (
    <details className={styles.cost} onToggle={({ currentTarget: { open } }) => setIsOpen(open)}>
      <summary>{cost === null ? 'Why there is no cost' : 'How this cost was computed'}</summary>
      {isOpen && <AskedCost id={span.id} cost={cost} />}
    </details>
  );
}

/** @param cost another one is asked for again. */
function AskedCost({ id, cost }: { id: string; cost: number | null }) {
  const { data, error, refetch } = useQuery({
    queryKey: keys.spanCost(id, cost),
    queryFn: async ({ signal }) =>
      (await api.getSpan({ path: { id }, query: { include: 'cost' }, signal })).cost ?? null,
  });
  if (error) return <FaultNotice title="The cost could not be read" error={error} onRetry={() => void refetch()} />;
  return data ? <ShownCost cost={data} /> : null;
}

const COLUMNS = ['Part', 'Quantity', 'Price', 'Cost'];

function ShownCost({ cost }: { cost: SpanCost }) {
  const parts = cost.parts ?? [];
  return (
    <>
      <p>{costSourceText(cost)}</p>
      {parts.length > 0 && (
        <ScrolledTable caption="Parts of the cost" isCaptionHidden columns={COLUMNS}>
          {parts.map(({ part, quantity, unit_price: price, per, cost: dollars }) => (
            <tr key={part}>
              <th scope="row">{partName(part)}</th>
              <td>{formatCount(quantity)}</td>
              <td>{unitText(price, per)}</td>
              <td title={formatCostExactly(dollars)}>{formatCost(dollars)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">Total</th>
            <td />
            <td />
            <td title={formatCostExactly(cost.total)}>{formatCost(cost.total)}</td>
          </tr>
        </ScrolledTable>
      )}
      {cost.total === null && (
        <p>
          <code>npx spandrel prices list</code> shows the prices that there are, and{' '}
          <code>npx spandrel prices apply</code> prices spans again once there is one.
        </p>
      )}
    </>
  );
}
