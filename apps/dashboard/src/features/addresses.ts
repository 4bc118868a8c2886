/** The address of a trace. Ids are chosen by clients and may hold anything. */
export const traceAddress = (id: string): string => `/traces/${encodeURIComponent(id)}`;

/** The address of a session. */
export const sessionAddress = (id: string): string => `/sessions/${encodeURIComponent(id)}`;

/** An id of a trace that is still to be made. */
export const newTraceId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The address of a dataset. */
export const datasetAddress = (id: string): string => `/datasets/${encodeURIComponent(id)}`;

/** The address of a datapoint. */
export const datapointAddress = (datasetId: string, id: string): string =>
  `${datasetAddress(datasetId)}/datapoints/${encodeURIComponent(id)}`;

/** The address of a run. */
export const runAddress = (id: string): string => `/evaluations/${encodeURIComponent(id)}`;

/** Stands where the id of a dataset does in the address of the review of traces, spans and sessions. */
export const TARGETS_PATH = 'traces';

/** The address of the review of a dataset, or (`null`) of traces, spans and sessions. */
export const reviewAddress = (datasetId: string | null): string =>
  `/review/${encodeURIComponent(datasetId ?? TARGETS_PATH)}`;

/** What a trace is called; many have no name. */
export const nameOfTrace = ({ name }: { name: string | null }): string => name || 'Untitled trace';

/** What a span is called; a name may be empty. */
export const nameOfSpan = ({ name }: { name: string }): string => name || 'Untitled span';

/** What a datapoint is called: the beginning of its input, or its id. */
export const nameOfDatapoint = ({ id, input_preview: input }: { id: string; input_preview: string | null }): string =>
  input === null || input.trim() === '' ? `Datapoint ${id}` : input;
