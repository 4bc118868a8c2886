import { Controller, Get, Inject } from '@nestjs/common';
import { capabilitiesSchema, type CapabilitiesResource } from '@spandrel/contract';
import { CoreSettings, PACKAGE, LOCAL_SCOPE, type Scope } from '@spandrel/kernel';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { Operation } from '../operation.js';

/** Injection token of what says where the gateway is: `null` where that is not known. */
export const GATEWAY_URL = Symbol('gateway url');

/** Injection token of the names of the features that this server has. */
export const FEATURE_NAMES = Symbol('feature names');

type Tellable = Omit<CapabilitiesResource, 'version' | 'mode' | 'features' | 'gateway_url' | 'limits'> &
  Omit<CapabilitiesResource['limits'], 'body_bytes'>;

/** @param scope of the caller; `null` for the operator, who has none. */
type Provider<Name extends keyof Tellable> = (scope: Scope | null) => Tellable[Name] | Promise<Tellable[Name]>;

const UNTOLD: Tellable = {
  providers: [],
  scorers: [],
  search_modes: [],
  retention_days: null,
  claim_timeout: null,
  evals_paused: false,
  sharing: false,
  alert_email: false,
  import_file_bytes: null,
  compared_runs: null,
};

/** What this server can do, given by the features that it has (docs/spec/capabilities.md#the-answer). */
export class Capabilities {
  private readonly providers: { [Name in keyof Tellable]?: Provider<Name> } = {};

  /** Says how a capability is found out; called once for each, before the server listens. */
  provide<Name extends keyof Tellable>(name: Name, provider: Provider<Name>): void {
    if (this.providers[name]) throw new Error(`two features provide the capability ${name}`);
    Object.assign(this.providers, { [name]: provider });
  }

  async all(scope: Scope | null): Promise<Tellable> {
    const reported = await Promise.all(
      Object.entries(this.providers).map(async ([name, provider]) => [name, await provider(scope)] as const),
    );
    return { ...UNTOLD, ...(Object.fromEntries(reported) as Partial<Tellable>) };
  }
}

/** `GET /api/capabilities`: what a client has to know of this server beforehand (docs/spec/capabilities.md). */
@Controller('api/capabilities')
export class CapabilitiesController {
  constructor(
    @Inject(CoreSettings) private readonly settings: CoreSettings,
    @Inject(Capabilities) private readonly capabilities: Capabilities,
    @Inject(FEATURE_NAMES) private readonly features: string[],
    @Inject(GATEWAY_URL) private readonly gatewayUrl: () => string | null,
  ) {}

  @Get()
  @Operation({ access: 'caller', summary: 'What this server can do', answer: capabilitiesSchema })
  async getCapabilities(@CurrentCaller() caller: Caller | undefined) {
    const { import_file_bytes, compared_runs, ...reported } = await this.capabilities.all(
      caller ? caller.scope : LOCAL_SCOPE,
    );
    return {
      version: PACKAGE.version,
      mode: this.settings.mode,
      features: this.features,
      gateway_url: this.gatewayUrl(),
      ...reported,
      limits: { body_bytes: this.settings.bodyBytes, import_file_bytes, compared_runs },
    };
  }
}
