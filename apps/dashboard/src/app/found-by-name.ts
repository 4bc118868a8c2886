import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { keys } from '../api/keys.js';
import { formatId } from '../components/format.js';
import { useSettled } from '../components/hooks.js';
import { alertAddress, ALERTS } from '../features/alerts/alerts.js';
import { boardAddress, BOARDS } from '../features/boards/boards.js';
import type { BrowserSessionResource } from '@spandrel/contract';
import { BROWSER_SESSION, useCapabilities } from '../features/browser-session.js';
import { lastOpenedFirst, projectAddress, SESSION_PROJECTS } from '../features/projects.js';
import { addressOfView, SAVED_VIEWS } from '../features/saved-views/saved-views.js';
import { SCORING_RULES, scoringRuleAddress } from '../features/scoring-rules/scoring-rules.js';
import { datasetAddress, nameOfTrace, runAddress, sessionAddress, traceAddress } from '../features/addresses.js';

/** Something that is called as somebody types. */
interface Found {
  group: string;
  label: string;
  address: string;
}

const PAUSE_MS = 200;
/** A shorter text is in most names. */
const LENGTH_MIN = 2;
/** The most that are shown of one kind. */
const FOUND_MAX = 5;
const PROJECTS_MAX = 20;

/** Views, boards, alerts, scoring rules, projects of a person, traces, sessions, datasets and runs whose names contain each word of a text, a moment after it was typed. */
export function useFoundByName(typed: string): readonly Found[] {
  const client = useQueryClient();
  const text = useSettled(typed.trim(), PAUSE_MS);
  const features = useCapabilities()?.features ?? [];
  const { data = [] } = useQuery({
    queryKey: ['found by name', text],
    queryFn: ({ signal }) => findByName(client, text, features, signal),
    enabled: text.length >= LENGTH_MIN && text === typed.trim(),
    // The commands of the menu are there without it.
    retry: false,
  });
  return data;
}

async function findByName(
  client: QueryClient,
  text: string,
  features: readonly string[],
  signal: AbortSignal,
): Promise<Found[]> {
  const words = text.toLowerCase().split(/\s+/);
  const calledSo = <Row extends { id: string; name: string }>(
    group: string,
    rows: readonly Row[],
    addressOf: (id: string, row: Row) => string,
    most = rows.length,
  ): Found[] =>
    rows
      .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
      .slice(0, most)
      .map((row) => ({ group, label: row.name, address: addressOf(row.id, row) }));
  const session = client.getQueryData<BrowserSessionResource>(BROWSER_SESSION.queryKey);
  const [traces, sessions, datasets, runs, views, boards, alerts, rules, projects] = await Promise.all([
    api.listTraces({ query: { name_contains: text, limit: FOUND_MAX }, signal }),
    api.listSessions({ query: { id_contains: text, limit: FOUND_MAX }, signal }),
    // The API finds neither by name; of both there are few, and the newest count.
    client.fetchQuery({ queryKey: keys.datasets(), queryFn: () => api.listDatasets() }),
    client.fetchQuery({ queryKey: ['runs', 'newest'], queryFn: () => api.listEvalRuns() }),
    client.fetchQuery(SAVED_VIEWS),
    client.fetchQuery(BOARDS),
    features.includes('alerts') ? client.fetchQuery(ALERTS) : [],
    features.includes('online-scoring') ? client.fetchQuery(SCORING_RULES) : [],
    session?.kind === 'person' ? client.fetchQuery(SESSION_PROJECTS) : { projects: [] },
  ]);
  const others = lastOpenedFirst(projects.projects)
    .filter(({ id }) => id !== session?.project?.id)
    .map(({ id, org, name }) => ({ id, name: `${org.name} / ${name}` }));
  return [
    ...calledSo('Views', views, (_id, view) => addressOfView(view)),
    ...calledSo('Boards', boards, boardAddress),
    ...calledSo('Alerts', alerts, alertAddress),
    ...calledSo('Scoring rules', rules, scoringRuleAddress),
    ...calledSo('Projects', others, projectAddress, PROJECTS_MAX),
    ...traces.traces.map((one) => ({ group: 'Traces', label: nameOfTrace(one), address: traceAddress(one.id) })),
    ...sessions.sessions.map(({ session_id: id }) => ({
      ...{ group: 'Sessions', label: formatId(id), address: sessionAddress(id) },
    })),
    ...calledSo('Datasets', datasets.datasets, datasetAddress, FOUND_MAX),
    ...calledSo('Evaluations', runs.runs, runAddress, FOUND_MAX),
  ];
}
