import { Controller, Get, Inject } from '@nestjs/common';
import { capabilitiesSchema, type CapabilitiesResource } from '@spandrel/contract';
import { CoreSettings, PACKAGE, LOCAL_SCOPE } from '@spandrel/kernel';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { Operation } from '../operation.js';
import { Capabilities } from './capabilities.js';

/** Injection token of what says where the gateway is: `null` where that is not known. */
export const GATEWAY_URL = Symbol('gateway url');

/** `GET /api/capabilities`: what a client has to know of this server beforehand (docs/spec/capabilities.md). */
@Controller('api/capabilities')
export class CapabilitiesController {
  constructor(
    @Inject(CoreSettings) private readonly settings: CoreSettings,
    @Inject(Capabilities) private readonly capabilities: Capabilities,
    @Inject(GATEWAY_URL) private readonly gatewayUrl: () => string | null,
  ) {}

  @Get()
  @Operation({
    id: 'getCapabilities',
    access: 'caller',
    summary: 'What this server can do',
    answer: capabilitiesSchema,
  })
  async read(@CurrentCaller() caller: Caller | undefined): Promise<CapabilitiesResource> {
    const { import_file_bytes, compared_runs, ...reported } = await this.capabilities.all(
      caller ? caller.scope : LOCAL_SCOPE,
    );
    return {
      version: PACKAGE.version,
      mode: this.settings.mode,
      gateway_url: this.gatewayUrl(),
      ...reported,
      limits: { body_bytes: this.settings.bodyBytes, import_file_bytes, compared_runs },
    };
  }
}
