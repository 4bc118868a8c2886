import { readFileSync } from 'node:fs';
import type { DialectFixture, ExpectedReading } from './dialect-contract.js';
import { otelSpan, type PlainSpan } from './otel-span.js';

interface Recording {
  recorded_from: Record<string, string>;
  spans: { span: RecordedSpan; reading: ExpectedReading }[];
}

type RecordedSpan = Omit<PlainSpan, 'startUnixNano' | 'endUnixNano'> & { startUnixNano: string; endUnixNano: string };

/**
 * Spans that a real instrumentation sent, and what a dialect is to read from each. @param file URL of the recording.
 */
export function recordedSpans(file: URL): DialectFixture[] {
  const recording = JSON.parse(readFileSync(file, 'utf8')) as Recording;
  const from = Object.entries(recording.recorded_from).map(([name, version]) => `${name} ${version}`);
  return recording.spans.map(({ span: { startUnixNano, endUnixNano, ...span }, reading }, at) => ({
    name: `span ${at + 1}, ${span.name}, of ${from[0]}`,
    span: otelSpan({ ...span, startUnixNano: BigInt(startUnixNano), endUnixNano: BigInt(endUnixNano) }),
    reading,
  }));
}
