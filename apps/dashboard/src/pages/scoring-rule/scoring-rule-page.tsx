import type { ConnectionResource, ScoringRuleResource } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound } from '../../api/api-error.js';
import { api } from '../../api/api.js';
import { formatTime, type Zone } from '../../components/format.js';
import { NotFound } from '../../components/not-found.js';
import { PageActions } from '../../components/page-actions.js';
import { PageHeading, QueryFault } from '../../components/page-parts.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { ConfirmAction } from '../../features/dialogs.js';
import { EnabledSwitch } from '../../features/enabled-switch.js';
import { FactList, type Fact } from '../../features/fact-list.js';
import { useWayUp } from '../../features/list/way-up.js';
import { useModelChoices } from '../../features/model-choices.js';
import { wordsOfScoring } from '../../features/scorer-words.js';
import { ScoringRuleDialog } from '../../features/scoring-rules/rule-dialog.js';
import {
  describeBackfill,
  describeRuleFilters,
  describeSpent,
  describeTrigger,
  describeWaiting,
} from '../../features/scoring-rules/rule-words.js';
import { rereadRules, scoringRule, SCORING_RULES } from '../../features/scoring-rules/scoring-rules.js';
import { percentOf } from '../../features/span-filters/filter-form.js';
import { ScrolledTable } from '../../features/statistics/statistics-tables.js';
import { BackfillDialog } from './backfill-dialog.js';
import { TestRuleDialog } from './test-rule-dialog.js';

const route = getRouteApi('/scoring-rules/$id');

/** What a rule did is asked for this far apart: no event says it. */
const BETWEEN_MS = 3_000;

/** `/scoring-rules/:id`: what a rule does, what it did within a day, and its backfill. */
export function ScoringRulePage() {
  const { id } = route.useParams();
  const rule = useQuery({ ...scoringRule(id), refetchInterval: ({ state }) => state.error === null && BETWEEN_MS });
  const wayUp = useWayUp('/scoring-rules', 'Scoring rule');
  if (isNotFound(rule.error)) {
    return <NotFound what="Scoring rule" back={<Link to="/scoring-rules">Go to Scoring rules</Link>} />;
  }
  return (
    <>
      {wayUp}
      {rule.data ? <Rule rule={rule.data} /> : <PageHeading title="Scoring rule" />}
      <QueryFault title="The scoring rule could not be loaded" query={rule} />
    </>
  );
}

type Opened = 'edit' | 'delete' | 'test' | 'backfill' | null;

function Rule({ rule }: { rule: ScoringRuleResource }) {
  const { id, name, state, last_error: error, backfill } = rule;
  const { times } = usePreferences();
  const { connections } = useModelChoices('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Opened>(null);
  const close = (): void => setOpened(null);
  return (
    <>
      <PageHeading title={name}>
        <EnabledSwitch
          {...rule}
          isLabelled
          change={(enabled) => api.updateScoringRule({ path: { id }, body: { enabled } })}
          onChanged={() => rereadRules(client)}
        />
        <PageActions
          group="Scoring rule"
          actions={[
            { label: `Test on a ${rule.target}`, writes: true, run: () => setOpened('test') },
            { label: 'Backfill', writes: true, disabled: !rule.enabled, run: () => setOpened('backfill') },
            { label: 'Edit rule', short: 'Edit', writes: true, run: () => setOpened('edit') },
            {
              ...{ label: 'Delete rule', short: 'Delete', writes: true, variant: 'danger', icon: 'trash' },
              run: () => setOpened('delete'),
            },
          ]}
        />
      </PageHeading>
      <FactList label="Rule facts" facts={ruleFacts(rule, connections, times)} />
      {error !== null && (
        <p dir="auto">
          Last error: <code>{error}</code>
        </p>
      )}
      {backfill && <p role="status">Backfill. {describeBackfill(backfill)}</p>}
      <ScrolledTable
        caption="The last 24 hours"
        columns={['Hour', 'Matched', 'Sampled', 'Scored', 'Failed', 'Over budget', 'Overload']}
      >
        {[{ ...state, timestamp: null }, ...state.hours.toReversed()].map((hour) => (
          <tr key={hour.timestamp}>
            <th scope="row">{hour.timestamp === null ? 'All' : hourText(hour.timestamp, times)}</th>
            {[hour.matched, hour.sampled, hour.scored, hour.failed, hour.skipped.budget, hour.skipped.overload].map(
              // The columns stay where they are.
              // oxlint-disable-next-line react/no-array-index-key
              (count, at) => (
                <td key={at}>{formatCount(count)}</td>
              ),
            )}
          </tr>
        ))}
      </ScrolledTable>
      {opened === 'edit' && <ScoringRuleDialog rule={rule} onSaved={close} onClose={close} />}
      {opened === 'test' && <TestRuleDialog rule={rule} onClose={close} />}
      {opened === 'backfill' && <BackfillDialog rule={rule} onClose={close} />}
      {opened === 'delete' && (
        <ConfirmAction
          title="Delete scoring rule?"
          action="Delete"
          act={() => api.deleteScoringRule({ path: { id } })}
          onDone={() => {
            void navigate({ to: '/scoring-rules' });
            // The rule itself is not asked for again.
            void client.invalidateQueries({ queryKey: SCORING_RULES.queryKey, exact: true });
          }}
          done={`Deleted the rule ${name}`}
          failed="The rule could not be deleted"
          onClose={close}
        >
          <p>
            The rule <bdi>{name}</bdi> scores nothing any more. The scores that it gave are kept.
          </p>
        </ConfirmAction>
      )}
    </>
  );
}

const hourText = (at: string, zone: Zone): string => formatTime(Date.parse(at), zone).slice(5, 16);

function ruleFacts(rule: ScoringRuleResource, connections: readonly ConnectionResource[], zone: Zone): Fact[] {
  const { scoring, judge, state, cohort } = rule;
  const connection = connections.find(({ id }) => id === judge?.connection_id);
  const model = judge?.model ?? connection?.default_model;
  const asked = model && `${model}${connection ? ` by ${connection.name}` : ''}`;
  const rubric = rule.scoring_config?.['rubric'];
  return [
    { name: 'Judges', value: describeTrigger(rule) },
    { name: 'Filters', value: describeRuleFilters(rule) },
    { name: 'Sample', value: `${percentOf(rule.sample_rate)}%${cohort === null ? '' : ` of the cohort ${cohort}`}` },
    { name: 'Scorer', value: [wordsOfScoring(scoring), asked].filter(Boolean).join(', ') },
    ...(typeof rubric === 'string' ? [{ name: 'Rubric', value: rubric.split('\n')[0]!, exact: rubric }] : []),
    { name: 'Score', value: rule.score_name },
    { name: 'Cost today', value: describeSpent(rule) },
    { name: 'Waiting', value: describeWaiting(state) },
    { name: 'Since', value: formatTime(Date.parse(rule.since), zone).slice(0, 16) },
  ];
}
