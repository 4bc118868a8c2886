import type { EvalRunResource, SpanResource } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/api.js';
import { keys } from '../../api/keys.js';
import { EmptyState, FaultNotice, PageHeading } from '../../components/page-parts.js';
import { useMayWrite } from '../../components/button.js';
import { useWayUp } from '../../features/list/way-up.js';
import { runQuery } from '../../features/runs/run-queries.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { EMPTY_FIELDS, fieldsOfRun, fieldsOfTry, type RunFields } from './run-fields.js';
import { EMPTY_SCORER } from '../../features/runs/scorer-fields.js';
import { readTexts } from '../../features/filters/list-search.js';
import { RunForm, useRunChoices } from './run-form.js';

export interface NewEvaluationSearch {
  dataset?: string;
  run?: string;
  /** Id of the span of a try whose prompt and model are taken. */
  span?: string;
}

const readNewEvaluationSearch = (search: Record<string, unknown>): NewEvaluationSearch =>
  readTexts(search, ['dataset', 'run', 'span']);

/** `/evaluations/new`: the form that starts a run, empty or that of a run which is made again. */
export function NewEvaluationPage() {
  const { dataset = '', run, span } = usePageSearch(readNewEvaluationSearch);
  const again = useQuery({ ...runQuery(run ?? ''), enabled: run !== undefined });
  const tried = useQuery({
    queryKey: [...keys.sourceSpan(span ?? ''), 'whole'],
    queryFn: ({ signal }) => api.getSpan({ path: { id: span! }, signal }),
    enabled: span !== undefined,
  });
  const choices = useRunChoices('');
  const { isReady, error, datasets, connections } = choices;
  const wayUp = useWayUp('/evaluations', 'Evaluations');
  const mayWrite = useMayWrite();
  const isAwaited = !isReady || (run !== undefined && again.isPending) || tried.isLoading;
  return (
    <>
      {wayUp}
      <PageHeading title="New evaluation" />
      {!mayWrite && <p>This key is read-only. Starting an evaluation needs a key with the scope write.</p>}
      {error && <FaultNotice title="The form could not be loaded" error={error} />}
      {mayWrite && !isAwaited && missing(datasets.length, connections.length)}
      {mayWrite && !isAwaited && datasets.length > 0 && connections.length > 0 && (
        <RunForm initial={initialFields(again.data, tried.data, dataset, choices)} />
      )}
    </>
  );
}

type Choices = ReturnType<typeof useRunChoices>;

function initialFields(
  again: EvalRunResource | undefined,
  tried: SpanResource | undefined,
  dataset: string,
  choices: Choices,
): RunFields {
  const [connection] = choices.connections;
  const usual: RunFields = {
    ...EMPTY_FIELDS,
    dataset: dataset || choices.datasets[0]!.id,
    connection: connection!.id,
    model: connection!.default_model ?? '',
    scorers: [{ ...EMPTY_SCORER, scoring: choices.scorers[0]?.name ?? '' }],
  };
  if (tried !== undefined) return fieldsOfTry(tried, usual);
  return again === undefined ? usual : fieldsOfRun(again, usual);
}

function missing(datasets: number, connections: number) {
  if (datasets === 0) {
    return (
      <EmptyState title="There is no dataset yet" action={<Link to="/datasets">Go to Datasets</Link>}>
        <p>A run sends the datapoints of a dataset to a model.</p>
      </EmptyState>
    );
  }
  if (connections > 0) return null;
  return (
    <EmptyState title="There is no connection yet" action={<Link to="/connections">Go to Connections</Link>}>
      <p>A run calls a model through a connection.</p>
    </EmptyState>
  );
}
