import { formatCount, formatCounted } from '@spandrel/contract/browser';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useParams } from '@tanstack/react-router';
import { Notifications } from '../app/notifications.js';
import { StatusBadge } from '../components/badge.js';
import { formatCost, formatDuration } from '../components/format.js';
import { EmptyState, PageHeading, QueryFault } from '../components/page-parts.js';
import { Time } from '../components/time.js';
import { nameOfTrace } from '../features/addresses.js';
import { DataTable } from '../features/statistics/data-table.js';
import { ReadOnlyPage } from '../pages/trace/shared-trace-page.js';
import { TracePage } from '../pages/trace/trace-page.js';
import { datapointsInFile, MANIFEST, tracesInFile, type DatapointInFile } from './embedded-traces.js';

const ONLY_TRACE = MANIFEST.traces.length === 1 ? MANIFEST.traces[0]! : null;

/** What stands around the pages of a file: where it is from, and the way back to its list. */
export function FileFrame() {
  const { id } = useParams({ strict: false });
  const { created_at: at, version, masked } = MANIFEST;
  return (
    <ReadOnlyPage
      notice={
        <>
          Spandrel {version}, made <Time at={at} />
          {masked && ', masked'}, read-only
          {ONLY_TRACE === null && id !== undefined && (
            <>
              {' · '}
              <Link to={'/' as '/traces'}>All {formatCounted(MANIFEST.traces.length, 'trace')} in this file</Link>
            </>
          )}
        </>
      }
    >
      <Outlet />
      <Notifications />
    </ReadOnlyPage>
  );
}

/** The one trace of the file, or a list of them. */
export function FileIndex() {
  return ONLY_TRACE ? <Navigate to="/traces/$id" params={{ id: ONLY_TRACE.id }} replace /> : <FileTraces />;
}

const COLUMNS = ['Name', 'Started', 'Status', 'Duration', 'Spans', 'Tokens', 'Cost'];

function FileTraces() {
  const query = useQuery({ queryKey: ['traces', 'in file'], queryFn: tracesInFile });
  return (
    <>
      <PageHeading title="Traces" />
      <QueryFault title="The traces could not be read" query={query} />
      {query.data?.length === 0 && <EmptyState title="No traces in this file">{null}</EmptyState>}
      {query.data && (
        <DataTable
          caption="Traces in this file"
          columns={COLUMNS}
          starts={COLUMNS.slice(0, 3)}
          rows={query.data.map((trace) => [
            trace.id,
            <Link key="name" to="/traces/$id" params={{ id: trace.id }}>
              {nameOfTrace(trace)}
            </Link>,
            <Time key="started" at={trace.started_at} />,
            <StatusBadge key="status" status={trace.status} />,
            formatDuration(trace.duration_ms),
            formatCount(trace.span_count),
            formatCount(trace.total_tokens),
            formatCost(trace.total_cost),
          ])}
        />
      )}
    </>
  );
}

/** A trace of the file, with the datapoints that were made from its spans. */
export function FileTrace() {
  const { id } = useParams({ strict: false });
  const { data } = useQuery({ queryKey: ['datapoints', 'in file'], queryFn: datapointsInFile });
  const datapoints = data?.filter(({ trace_id: of }) => of === id) ?? [];
  return (
    <>
      {datapoints.length > 0 && <Datapoints datapoints={datapoints} />}
      <TracePage />
    </>
  );
}

function Datapoints({ datapoints }: { datapoints: readonly DatapointInFile[] }) {
  return (
    <details>
      <summary>Datapoints: {formatCount(datapoints.length)}</summary>
      <DataTable
        caption="Datapoints made from this trace"
        columns={DATAPOINT_COLUMNS}
        starts={DATAPOINT_COLUMNS}
        rows={datapoints.map(({ id, trace_id: trace, dataset_name: dataset, source_span_id: span, kind }) => [
          id,
          dataset,
          expectedOf(kind),
          <Link key="span" to="/traces/$id" params={{ id: trace }} search={{ span } as never}>
            Show span
          </Link>,
        ])}
      />
    </details>
  );
}

const DATAPOINT_COLUMNS = ['Dataset', 'Expected', 'Span'];

function expectedOf(kind: DatapointInFile['kind']): string {
  const expected = 'Generic' in kind ? kind.Generic.expected_output : kind.LlmConversation.expected;
  return typeof expected === 'string' ? expected : JSON.stringify(expected ?? null);
}
