import type { CapturePreview, CreateCaptureRule, SpanOutline } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { previewCapture } from '../../api/capture-rules.js';
import { keys } from '../../api/keys.js';
import { FaultNotice } from '../../components/fault-notice.js';
import { Grid } from '../../components/grid/grid.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import { Time } from '../../components/time.js';
import { useSettled } from '../../components/use-settled.js';
import { costColumn, countColumn, durationColumn, textColumn } from '../../features/columns/usual-columns.js';
import { SpanLink } from '../../features/spans/span-link.js';
import { measureOf, modelOf } from '../../features/spans/trace-span.js';
import { traceAddress } from '../../features/trace-link.js';
import styles from './rule-dialog.module.css';

export interface RulePreviewProps {
  datasetId: string;
  /** `null` while the fields are no rule. */
  rule: CreateCaptureRule | null;
}

/** The server is asked after this pause in typing. */
const PAUSE_MS = 250;

/** What a rule would have taken of the newest spans. */
export function RulePreview({ datasetId, rule }: RulePreviewProps) {
  const navigate = useNavigate();
  const asked = useSettled(JSON.stringify(rule && { filters: rule.filters, sample_rate: rule.sample_rate }), PAUSE_MS);
  const query = JSON.parse(asked) as Pick<CreateCaptureRule, 'filters' | 'sample_rate'> | null;
  const preview = useQuery({
    queryKey: keys.capturePreview(datasetId, query ?? {}),
    queryFn: ({ signal }) => previewCapture(datasetId, query!, signal),
    enabled: query !== null,
    placeholderData: keepPreviousData,
    // What was recorded meanwhile counts.
    staleTime: 0,
  });
  const { data } = preview;
  return (
    <section aria-label="Preview" className={styles.preview}>
      <h3>Preview</h3>
      {preview.error && (
        <FaultNotice
          title="The preview could not be loaded"
          error={preview.error}
          onRetry={() => void preview.refetch()}
        />
      )}
      <p role="status">
        {rule === null ? 'Numbers are 0 or more, and the rate is at most 100.' : data && describe(data)}
      </p>
      {data !== undefined && data.spans.length > 0 && (
        <div className={styles.spans}>
          <Grid<SpanOutline>
            label="Matching spans"
            columns={COLUMNS}
            length={data.spans.length}
            isComplete
            rowAt={(index) => data.spans[index]}
            keyAt={(index) => data.spans[index]!.id}
            onOpen={({ id, trace_id: trace }) =>
              void navigate({ to: traceAddress(trace), search: { span: id } } as never)
            }
          />
        </div>
      )}
    </section>
  );
}

function describe({ scanned, matched, would_capture: captured }: CapturePreview): string {
  const words = `${formatCount(matched)} of the last ${formatCount(scanned)} finished spans match`;
  return captured === matched ? words : `${words}, about ${formatCount(captured)} would be captured`;
}

const COLUMNS: readonly GridColumn<SpanOutline>[] = [
  { id: 'started_at', header: 'Started', width: 112, cell: ({ started_at }) => <Time at={started_at} /> },
  { id: 'name', header: 'Name', width: 140, grows: true, cell: (span) => <SpanLink span={span} /> },
  textColumn('model', 'Model', 120, modelOf),
  durationColumn('duration', 'Duration', 80, (span) => measureOf(span, 'duration_ms')),
  countColumn('tokens', 'Tokens', 72, (span) => measureOf(span, 'total_tokens')),
  costColumn('cost', 'Cost', 72, (span) => measureOf(span, 'cost')),
];
