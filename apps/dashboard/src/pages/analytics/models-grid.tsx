import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { formatCount, NONE } from '@spandrel/contract/browser';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatId } from '../../components/format/format-id.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { spansAddress } from './analytics-search.js';
import { addCosts, type ModelSums } from './sums.js';
import type { Analytics } from './use-analytics.js';
import styles from './analytics-page.module.css';

/** What each model was called for, and what part of the cost it has. */
export function ModelsGrid({ data }: { data: Analytics }) {
  const { models, range } = data;
  const navigate = useNavigate();
  const addressOf = useMemo(() => {
    const { since, until } = range;
    return (model: string): string => spansAddress({ model, since, until });
  }, [range]);
  const columns = useMemo(() => modelColumns(models, addressOf), [models, addressOf]);
  if (models.length === 0) return null;
  return (
    <section className={styles.models} aria-labelledby="models-heading">
      <h2 id="models-heading">Models</h2>
      <Grid<ModelSums>
        label="Models"
        columns={columns}
        length={models.length}
        isComplete
        rowAt={(index) => models[index]}
        keyAt={(index) => JSON.stringify(models[index]!.model)}
        onOpen={({ model }) => model !== null && void navigate({ to: addressOf(model) })}
      />
    </section>
  );
}

function modelColumns(models: readonly ModelSums[], addressOf: (model: string) => string): GridColumn<ModelSums>[] {
  const cost = models.reduce<number | null>((sum, { cost: own }) => addCosts(sum, own), null);
  return [
    {
      id: 'model',
      header: 'Model',
      width: 160,
      grows: true,
      cell: ({ model }) =>
        model === null ? (
          'Others'
        ) : (
          <Link to={addressOf(model)} dir="auto">
            {formatId(model)}
          </Link>
        ),
    },
    { id: 'calls', header: 'Calls', width: 90, align: 'end', cell: ({ calls }) => formatCount(calls) },
    { id: 'tokens', header: 'Tokens', width: 110, align: 'end', cell: ({ tokens }) => formatCount(tokens) },
    {
      id: 'cost',
      header: 'Cost',
      width: 100,
      align: 'end',
      cell: ({ cost: own }) => <span title={formatCostExactly(own)}>{formatCost(own)}</span>,
    },
    { id: 'share', header: 'Share', width: 80, align: 'end', cell: ({ cost: own }) => shareOf(own, cost) },
  ];
}

/** The part of the whole cost. */
function shareOf(own: number | null, whole: number | null): string {
  if (own === null || whole === null || whole === 0) return NONE;
  const percent = (own / whole) * 100;
  return percent > 0 && percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}
