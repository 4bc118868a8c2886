import { Controller, Res, applyDecorators, HttpCode, Post } from '@nestjs/common';
import { BodyStream, CurrentScope, type StreamedBody, Operation, StreamsBody } from '@spandrel/http';
import { DomainError, type Scope } from '@spandrel/kernel';
import type { FastifyReply } from 'fastify';
import { TakeExport, type ExportAnswer } from './take-export.js';
import { ACCEPTED_CODINGS } from './read-body.js';
import { MEDIA_TYPES, OTLP } from './otlp-protocol.js';

const MEANINGS = {
  traces: {
    request: 'ExportTraceServiceRequest',
    answer: 'ExportTraceServiceResponse',
    summary: 'Take spans of OpenTelemetry',
  },
  logs: {
    request: 'ExportLogsServiceRequest',
    answer: 'ExportLogsServiceResponse',
    summary: 'Take log records of OpenTelemetry about model calls',
  },
  metrics: {
    request: 'ExportMetricsServiceRequest',
    answer: 'ExportMetricsServiceResponse',
    summary: 'Answer metrics of OpenTelemetry, which are not kept',
  },
};

function OtlpRoute(path: string, signal: keyof typeof MEANINGS, id: string): MethodDecorator {
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
      answer: { mediaTypes, description: `\`${answer}\`, which says what was left out.` },
    }),
  );
}

const PackedBody = () => BodyStream({ unpacks: true });

/** OTLP over HTTP, on its own paths and on those that SDKs call of themselves (docs/spec/otlp.md#endpoints). */
@Controller()
export class OtlpController {
  constructor(private readonly exports: TakeExport) {}

  @OtlpRoute('v1/traces', 'traces', 'otlpTraces')
  traces(@CurrentScope() scope: Scope, @PackedBody() body: StreamedBody, @Res() reply: FastifyReply) {
    return send(reply, this.exports.traces(scope, body));
  }

  @OtlpRoute('v1/logs', 'logs', 'otlpLogs')
  logs(@CurrentScope() scope: Scope, @PackedBody() body: StreamedBody, @Res() reply: FastifyReply) {
    return send(reply, this.exports.logs(scope, body));
  }

  @OtlpRoute('v1/metrics', 'metrics', 'otlpMetrics')
  metrics(@PackedBody() body: StreamedBody, @Res() reply: FastifyReply) {
    return send(reply, this.exports.metrics(body));
  }

  @OtlpRoute('api/otel/v1/traces', 'traces', 'otlpTracesUnderApi')
  tracesUnderApi(@CurrentScope() scope: Scope, @PackedBody() body: StreamedBody, @Res() reply: FastifyReply) {
    return send(reply, this.exports.traces(scope, body));
  }

  @OtlpRoute('api/otel/v1/logs', 'logs', 'otlpLogsUnderApi')
  logsUnderApi(@CurrentScope() scope: Scope, @PackedBody() body: StreamedBody, @Res() reply: FastifyReply) {
    return send(reply, this.exports.logs(scope, body));
  }

  @OtlpRoute('api/otel/v1/metrics', 'metrics', 'otlpMetricsUnderApi')
  metricsUnderApi(@PackedBody() body: StreamedBody, @Res() reply: FastifyReply) {
    return send(reply, this.exports.metrics(body));
  }

  /** Langfuse's SDKs call this path when only their base URL is changed. */
  @OtlpRoute('api/public/otel/v1/traces', 'traces', 'otlpTracesOfLangfuse')
  tracesOfLangfuse(@CurrentScope() scope: Scope, @PackedBody() body: StreamedBody, @Res() reply: FastifyReply) {
    return send(reply, this.exports.traces(scope, body));
  }

  /** LangSmith's exporter calls this path. */
  @OtlpRoute('otel/v1/traces', 'traces', 'otlpTracesOfLangsmith')
  tracesOfLangsmith(@CurrentScope() scope: Scope, @PackedBody() body: StreamedBody, @Res() reply: FastifyReply) {
    return send(reply, this.exports.traces(scope, body));
  }
}

async function send(reply: FastifyReply, taken: Promise<ExportAnswer>): Promise<void> {
  try {
    const { mediaType, body } = await taken;
    void reply.header('content-type', mediaType).send(body);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'unsupported_media_type') {
      void reply.header('accept-encoding', ACCEPTED_CODINGS);
    }
    throw error;
  }
}
