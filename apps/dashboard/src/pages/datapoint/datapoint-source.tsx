import type { DatapointResource } from '@spandrel/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { keys } from '../../api/keys.js';
import { spansByIds } from '../../api/spans.js';
import { Time } from '../../components/time.js';
import { traceAddress } from '../../features/trace-link.js';

/** Where a datapoint came from; a span, as long as it is there, is a link. */
export function DatapointSource({ datapoint }: { datapoint: DatapointResource }) {
  const { source_span_id: spanId } = datapoint;
  const source = useQuery({
    queryKey: keys.sourceSpan(spanId ?? ''),
    queryFn: async () => (await spansByIds([spanId!]))[0] ?? null,
    enabled: spanId !== null,
  });
  return (
    <>
      {source.data && (
        <Link to={traceAddress(source.data.trace_id)} search={{ span: source.data.id } as never}>
          Source span
        </Link>
      )}
      {source.data === null && <span>Its source span has been deleted.</span>}
      <span>
        Updated <Time at={datapoint.updated_at} />
      </span>
    </>
  );
}
