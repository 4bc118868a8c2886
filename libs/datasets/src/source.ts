import { DATAPOINT_SOURCES, type DatapointSource } from '@spandrel/contract';

/** Sources of datapoints as the table holds them. */
export const SOURCE = { manual: 0, span_export: 1, file_upload: 2 } as const satisfies Record<DatapointSource, number>;

export const sourceName = (source: number): DatapointSource => DATAPOINT_SOURCES[source] ?? 'manual';
