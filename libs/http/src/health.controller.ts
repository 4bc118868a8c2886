import { Controller, Get, Inject, Res } from '@nestjs/common';
import { healthSchema, probeSchema } from '@spandrel/contract';
import { Readiness, CoreSettings, Unavailable, newId, PACKAGE, METRICS, metricsText } from '@spandrel/kernel';
import type { Registry } from '@prometheus-io/client';
import type { FastifyReply } from 'fastify';
import { Operation } from './operation.js';

/** Names this process among others; new at every start. */
const INSTANCE_ID = newId();

const OK = { status: 'ok' } as const;

/** Says whether the service runs (docs/spec/health.md#health); open to everyone. */
@Controller()
export class HealthController {
  constructor(
    @Inject(CoreSettings) private readonly settings: CoreSettings,
    @Inject(Readiness) private readonly readiness: Readiness,
  ) {}

  @Get('api/health')
  @Operation({ summary: 'Whether the service runs', answer: healthSchema, access: 'open' })
  getHealth() {
    return {
      ...OK,
      instance_id: INSTANCE_ID,
      uptime: process.uptime(),
      version: PACKAGE.version,
      mode: this.settings.mode,
    };
  }

  /** The process answers; restart it when this does not. */
  @Get('livez')
  @Operation({ summary: 'Whether the process answers', answer: probeSchema, access: 'open' })
  getLiveness() {
    return OK;
  }

  /** Requests are served: 200; while starting or stopping, or while the database cannot be used: 503. */
  @Get('readyz')
  @Operation({ summary: 'Whether requests are served; 503 when not', answer: probeSchema, access: 'open' })
  async getReadiness() {
    if (!(await this.readiness.holds()))
      throw new Unavailable('the service is starting or stopping, or its database cannot be used');
    return OK;
  }
}

/** `/metrics`: everything that was registered, in the text format of Prometheus. */
@Controller()
export class MetricsController {
  constructor(@Inject(METRICS) private readonly registry: Registry) {}

  @Get('metrics')
  @Operation({
    access: 'operator',
    summary: 'Metrics of this process',
    answer: { mediaTypes: ['text/plain'], description: 'The text exposition format of Prometheus, version 0.0.4.' },
  })
  async readMetrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.header('content-type', this.registry.contentType);
    return metricsText(this.registry);
  }
}
