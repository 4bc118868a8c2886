import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Capabilities } from '@spandrel/http';
import { RetentionPolicyStore } from './retention-policy.store.js';

/** Says how long the caller's traces are kept (docs/spec/limits.md#retention). */
@Injectable()
export class RetentionCapabilities implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly policy: RetentionPolicyStore,
  ) {}

  onModuleInit(): void {
    this.capabilities.provide('retention_days', (scope) => (scope ? this.policy.daysOf(scope) : null));
  }
}
