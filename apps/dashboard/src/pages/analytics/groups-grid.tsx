import type { GroupKey, GroupsAnswer, RankMeasure } from '@spandrel/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { SelectField } from '../../components/field.js';
import { capitalized, formatId, shareOf } from '../../components/format.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { QueryFault } from '../../components/page-parts.js';
import {
  GROUPS,
  keysAddress,
  RANKS,
  readAnalyticsSearch,
  type AnalyticsSearch,
} from '../../features/analytics/analytics-search.js';
import { knownEnds } from '../../features/analytics/plan-question.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { costColumn, countColumn, durationColumn } from '../../features/columns/usual-columns.js';
import { ReplayButton } from '../../features/replay/replay-button.js';
import { sourceOfModel } from '../../features/replay/replay-source.js';
import styles from './analytics-page.module.css';

type Group = GroupsAnswer['groups'][number];

const TOP = 20;

const RANK_WORDS: Readonly<Partial<Record<RankMeasure, string>>> = {
  avg_latency: 'Average latency',
  error_rate: 'Error rate',
};

/** `Trace name`, `Metadata: release`. */
const wordOf = (by: GroupKey): string => capitalized(by).replace('_', ' ').replace('.', ': ');

interface GroupsGridProps {
  search: AnalyticsSearch;
  onChange(search: AnalyticsSearch): void;
}

/** What the spans of the range come to by one or two keys, those with most of a measure first. */
export function GroupsGrid({ search, onChange }: GroupsGridProps) {
  const { by = 'model', and_by: second, order_by: order = 'cost', of = 'llm_calls', model, user_id } = search;
  const groupBy = second ? [by, second] : [by];
  const query = useQuery({
    queryKey: keys.analytics(search, { groups: true }),
    queryFn: async ({ signal }) => {
      const ends = knownEnds(search, Date.now());
      const filters = {
        ...ends,
        ...(of !== 'spans' && { kind: 'llm_call' }),
        ...(model !== undefined && { model }),
        ...(user_id && { user_id }),
      };
      const body = { filters, group_by: groupBy, order_by: order, top: TOP, percentiles: true };
      return { ...(await api.queryAnalyticsGroups({ body, signal })), ends, groupBy };
    },
    placeholderData: keepPreviousData,
  });
  const navigate = useNavigate();
  const { data } = query;
  const rows = data?.groups ?? [];
  const change = (changes: Record<string, unknown>): void => onChange(readAnalyticsSearch({ ...search, ...changes }));
  const addressOf = ({ keys: values }: Group): string => {
    const counted = {
      ...(of === 'spans' ? { of } : { of: 'llm_calls' as const }),
      ...(model !== undefined && { model }),
      ...(user_id && { user_id }),
    };
    return keysAddress(
      counted,
      data!.groupBy.map((key, at) => [key, values[at]!]),
      data!.ends,
    );
  };
  const replayOf = (name: string) => sourceOfModel(name, { ...data!.ends, ...(user_id && { user_id }) });
  const choices = (chosen: GroupKey) =>
    [...new Set([...GROUPS, chosen])].map((value) => ({ value, label: wordOf(value) }));
  return (
    <section className={styles.models} aria-labelledby="groups-heading">
      <h2 id="groups-heading">Groups</h2>
      <div className="row">
        <SelectField
          label="Group by"
          options={choices(by)}
          value={by}
          onChange={({ target }) => change({ by: target.value })}
        />
        <SelectField
          label="Then by"
          options={[{ value: '', label: 'Nothing' }, ...choices(second ?? by).filter(({ value }) => value !== by)]}
          value={second ?? ''}
          onChange={({ target }) => change({ and_by: target.value })}
        />
        <SelectField
          label="Sort by"
          options={RANKS.map((value) => ({ value, label: RANK_WORDS[value] ?? capitalized(value) }))}
          value={order}
          onChange={({ target }) => change({ order_by: target.value })}
        />
      </div>
      <QueryFault title="Groups could not be loaded" query={query} />
      {rows.length > 0 && (
        <Grid<Group>
          label="Groups"
          columns={[
            ...columnsOf(data!, addressOf),
            ...(data!.groupBy.join() === 'model' ? [replayColumn(replayOf)] : []),
          ]}
          length={rows.length}
          isComplete
          rowAt={(index) => rows[index]}
          keyAt={(index) => JSON.stringify(rows[index]!.keys)}
          onOpen={(group) => !group.keys.includes(null) && void navigate({ to: addressOf(group) })}
        />
      )}
    </section>
  );
}

function columnsOf(
  { groupBy, total }: GroupsAnswer & { groupBy: readonly GroupKey[] },
  addressOf: (group: Group) => string,
): GridColumn<Group>[] {
  return [
    ...groupBy.map((by, at) =>
      cellColumn<Group>(by, wordOf(by), { width: 160, grows: true }, (group) => {
        const key = group.keys[at]!;
        if (key === null) return 'None';
        return group.keys.includes(null) ? (
          <bdi>{formatId(key)}</bdi>
        ) : (
          <Link to={addressOf(group)} dir="auto">
            {formatId(key)}
          </Link>
        );
      }),
    ),
    countColumn('count', 'Count', 80, ({ span_count }) => span_count),
    countColumn('tokens_in', 'Tokens in', 100, ({ input_tokens }) => input_tokens),
    countColumn('tokens_out', 'Tokens out', 100, ({ output_tokens }) => output_tokens),
    costColumn('cost', 'Cost', 100, (row) => row.cost),
    costColumn('cost_each', 'Cost each', 100, ({ cost: own, span_count }) => own && own / span_count),
    durationColumn('p95', 'p95', 80, ({ p95_ms }) => p95_ms),
    countColumn('errors', 'Errors', 70, ({ error_count }) => error_count),
    { id: 'share', header: 'Share', width: 70, align: 'end', cell: ({ cost: own }) => shareOf(own, total.cost) },
  ];
}

/** What the calls of a model would have cost and said with another one. */
const replayColumn = (replayOf: (model: string) => ReturnType<typeof sourceOfModel>): GridColumn<Group> => ({
  ...{ id: 'replay', header: 'Replay', width: 80 },
  cell: ({ keys: [model = null] }) =>
    model !== null && <ReplayButton label={`Replay ${formatId(model)}`} {...replayOf(model)} />,
});
