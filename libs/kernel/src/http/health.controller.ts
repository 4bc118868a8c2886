import { Controller, Get, Inject } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/settings-token.js';
import { Unavailable } from '../errors/domain-error.js';
import { newId } from '../ids.js';
import { PACKAGE } from '../package-root.js';
import { Readiness } from './readiness.js';

/** Names this process among others; new at every start. */
const INSTANCE_ID = newId();

/** Whether the service runs (service-spec "Analytics and operations"); open to everyone. */
@Controller()
export class HealthController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(Readiness) private readonly readiness: Readiness,
  ) {}

  @Get('api/health')
  health() {
    return {
      status: 'ok',
      instance_id: INSTANCE_ID,
      uptime: process.uptime(),
      version: PACKAGE.version,
      mode: this.settings.mode,
    };
  }

  /** The process answers; restart it when this does not. */
  @Get('livez')
  live() {
    return { status: 'ok' };
  }

  /** Requests are served: 200; while starting or stopping, or while the database cannot be used: 503. */
  @Get('readyz')
  async ready() {
    if (!(await this.readiness.holds())) throw new Unavailable('the service is not ready');
    return { status: 'ok' };
  }
}
