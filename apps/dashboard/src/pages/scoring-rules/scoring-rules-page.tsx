import type { ScoringRuleResource } from '@spandrel/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { capitalized } from '../../components/format.js';
import { api } from '../../api/api.js';
import { Button } from '../../components/button.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { EmptyState, PageHeading } from '../../components/page-parts.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useHasFeature } from '../../features/browser-session.js';
import { cellColumn } from '../../features/columns/cell-column.js';
import { countColumn, textColumn } from '../../features/columns/usual-columns.js';
import { EnabledSwitch } from '../../features/enabled-switch.js';
import { QueryGrid } from '../../features/list/query-grid.js';
import { ScoringRuleDialog } from '../../features/scoring-rules/rule-dialog.js';
import {
  describeRuleFilters,
  describeSpent,
  describeTrigger,
  describeWaiting,
} from '../../features/scoring-rules/rule-words.js';
import { rereadRules, SCORING_RULES, scoringRuleAddress } from '../../features/scoring-rules/scoring-rules.js';
import { percentOf } from '../../features/span-filters/filter-form.js';

/** What rules did is asked for this far apart: no event says it. */
const BETWEEN_MS = 10_000;

/** `/scoring-rules`: the rules that have live traffic scored, with what they did within a day. */
export function ScoringRulesPage() {
  const has = useHasFeature('online-scoring');
  const query = useQuery({ ...SCORING_RULES, enabled: has === true, refetchInterval: BETWEEN_MS });
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isNew, setIsNew] = useState(false);
  const columns = useMemo(() => ruleColumns(() => rereadRules(client)), [client]);
  useShortcuts([
    { keys: '', label: 'New scoring rule', writes: true, group: 'Scoring rules', run: () => setIsNew(true) },
  ]);
  const rules = query.data ?? [];
  const open = ({ id }: ScoringRuleResource): void => void navigate({ to: scoringRuleAddress(id) });
  const create = (
    <Button writes variant="primary" icon="plus" onClick={() => setIsNew(true)}>
      New rule
    </Button>
  );
  const isEmpty = query.isSuccess && rules.length === 0;
  if (has === false) {
    return (
      <>
        <PageHeading title="Scoring rules" />
        <EmptyState title="This server scores no live traffic">
          <p>
            Its settings leave the feature <code>online-scoring</code> out.
          </p>
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeading title="Scoring rules">{!isEmpty && create}</PageHeading>
      <QueryGrid<ScoringRuleResource>
        label="Scoring rules"
        {...{ query, columns }}
        rows={rules}
        onOpen={open}
        empty={
          <EmptyState title="No scoring rules yet" action={create}>
            <p>
              A scoring rule has a model, or a program, score what your users get: every call, or a sample of the traces
              that match, for no more than you want to spend in a day.
            </p>
          </EmptyState>
        }
      />
      {isNew && <ScoringRuleDialog rule={null} onSaved={open} onClose={() => setIsNew(false)} />}
    </>
  );
}

function ruleColumns(onChanged: () => Promise<unknown>): GridColumn<ScoringRuleResource>[] {
  return [
    cellColumn('name', 'Name', 150, ({ id, name }) => (
      <Link to={scoringRuleAddress(id)} dir="auto">
        {name}
      </Link>
    )),
    { ...textColumn<ScoringRuleResource>('target', 'Judges', 140, describeTrigger), grows: true },
    { ...textColumn<ScoringRuleResource>('filters', 'Filters', 120, describeRuleFilters), grows: true },
    { id: 'sample', header: 'Sample', width: 56, align: 'end', cell: ({ sample_rate: rate }) => `${percentOf(rate)}%` },
    ...(['matched', 'sampled', 'scored', 'failed'] as const).map((id) =>
      countColumn<ScoringRuleResource>(id, capitalized(id), 62, ({ state }) => state[id]),
    ),
    countColumn('skipped', 'Skipped', 62, ({ state: { skipped } }) => skipped.budget + skipped.overload),
    textColumn('waiting', 'Waiting', 76, ({ state }) => describeWaiting(state)),
    textColumn('cost', 'Cost today', 120, describeSpent),
    cellColumn('enabled', 'Enabled', 60, (rule) => (
      <EnabledSwitch
        {...rule}
        change={(enabled) => api.updateScoringRule({ path: { id: rule.id }, body: { enabled } })}
        onChanged={onChanged}
      />
    )),
  ];
}
