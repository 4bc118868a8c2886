import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Registry } from '@prometheus-io/client';
import type { FastifyReply } from 'fastify';
import { METRICS, metricsText } from '@spandrel/kernel';
import { Operation } from './operation.js';

/** `/metrics`: everything that was registered, in the text format of Prometheus. */
@Controller()
export class MetricsController {
  constructor(@Inject(METRICS) private readonly registry: Registry) {}

  @Get('metrics')
  @Operation({
    id: 'readMetrics',
    access: 'operator',
    summary: 'Metrics of this process',
    answer: { mediaTypes: ['text/plain'], description: 'The text exposition format of Prometheus, version 0.0.4.' },
  })
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.registry.contentType);
    return metricsText(this.registry);
  }
}
