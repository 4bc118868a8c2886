import { applyDecorators, HttpCode, Post } from '@nestjs/common';
import { Operation, StreamsBody } from '@spandrel/http';
import { MEDIA_TYPES } from './otlp-media.js';
import { OTLP } from './otlp-protocol.js';

const MEANINGS = {
  traces: {
    request: 'ExportTraceServiceRequest',
    answer: 'ExportTraceServiceResponse',
    summary: 'Take spans of OpenTelemetry',
  },
  logs: {
    request: 'ExportLogsServiceRequest',
    answer: 'ExportLogsServiceResponse',
    summary: 'Take log records of OpenTelemetry that tell of model calls',
  },
  metrics: {
    request: 'ExportMetricsServiceRequest',
    answer: 'ExportMetricsServiceResponse',
    summary: 'Answer metrics of OpenTelemetry, which are not kept',
  },
};

/** Declares a route of OTLP over HTTP. @param id of the operation. */
export function OtlpRoute(path: string, signal: keyof typeof MEANINGS, id: string): MethodDecorator {
  const { request, answer, summary } = MEANINGS[signal];
  const mediaTypes = Object.values(MEDIA_TYPES);
  return applyDecorators(
    Post(path),
    HttpCode(200),
    StreamsBody(),
    Operation({
      id,
      access: 'ingest',
      summary,
      protocol: OTLP,
      body: { mediaTypes, description: `\`${request}\`, also with \`Content-Encoding\` gzip, zstd, deflate or br.` },
      answer: { mediaTypes, description: `\`${answer}\`, which tells what was left out.` },
    }),
  );
}
