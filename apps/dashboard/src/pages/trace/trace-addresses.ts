/** The whole address of a trace, to be given to others. */
export const traceLink = (id: string): string => `${location.origin}/traces/${encodeURIComponent(id)}`;

/** The whole address of a span within its trace. */
export const spanAddress = ({ trace_id, id }: { trace_id: string; id: string }): string =>
  `${traceLink(trace_id)}?${new URLSearchParams({ span: id }).toString()}`;
