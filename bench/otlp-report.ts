import type { OtlpFigures } from './otlp-rows.ts';
import { goal, heading, row } from './report.ts';

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MB`;

/** Prints the figures of exports and notes them against the goals. */
export function reportOtlp({ reading, sqlite, postgres, bytes, beside, memory }: OtlpFigures): void {
  heading('OTLP, reading an export of 512 spans of five instrumentations');
  row('', 'CPU µs/span');
  for (const [way, micros] of Object.entries(reading)) row(way, micros.toFixed(2));
  for (const [database, rates] of [
    ['SQLite', sqlite],
    ['Postgres', postgres],
  ] as const) {
    heading(`OTLP, exports of 512 spans, durable, ${database}`);
    row('', 'spans/s', 'CPU µs/span');
    for (const [way, { perSecond, cpuMicros }] of Object.entries(rates)) {
      row(way, perSecond.toFixed(0), cpuMicros.toFixed(0));
    }
  }
  heading('OTLP, beside and around');
  row('bytes a span', `${bytes.sent.toFixed(0)} sent`, `${bytes.stored.toFixed(0)} stored`);
  row(
    `${beside.exports} exports of 10,000`,
    `${beside.spansPerSecond.toFixed(0)} spans/s`,
    `p99 ${beside.p99.toFixed(1)} ms`,
  );
  row(`export of ${megabytes(memory.body)}`, megabytes(memory.idle), megabytes(memory.peak), megabytes(memory.after));
  goal('OTLP reading / protobufjs to plain', reading.protobuf / reading['protobufjs, plain'], '<=', 0.75);
  goal('OTLP reading / JSON.parse', reading.protobuf / reading['JSON.parse'], '<=', 1.25);
  goal('OTLP reading + dialects / JSON.parse', reading['with dialects'] / reading['JSON.parse'], '<=', 3);
  for (const [database, rates] of [
    ['SQLite', sqlite],
    ['Postgres', postgres],
  ] as const) {
    const { perSecond } = rates.OTLP;
    goal(`OTLP rate / ingest, ${database}`, perSecond / rates['POST /api/ingest'].perSecond, '>=', 0.6);
    goal(`OTLP gzip / without, ${database}`, rates['OTLP, gzip'].perSecond / perSecond, '>=', 0.9);
  }
  goal('OTLP bytes stored / sent', bytes.stored / bytes.sent, '<=', 1.5);
  goal('POST /api/spans p99 ms beside exports', beside.p99, '<=', 50);
  goal('OTLP memory growth / bytes of an export', (memory.peak - memory.idle) / memory.body, '<=', 4);
}
