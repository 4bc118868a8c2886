import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Capabilities } from '@spandrel/http';
import { QueueSettings } from './queue.settings.js';

/** Says how long a claim holds (docs/spec/capabilities.md#the-answer). */
@Injectable()
export class QueueCapabilities implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly settings: QueueSettings,
  ) {}

  onModuleInit(): void {
    this.capabilities.provide('claim_timeout', () => this.settings.claimTimeoutSeconds);
  }
}
