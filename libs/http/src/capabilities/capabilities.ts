import type { CapabilitiesResource } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';

/** What features say of themselves, by its name on the wire. */
type Tellable = Pick<
  CapabilitiesResource,
  'providers' | 'scorers' | 'search_modes' | 'retention_days' | 'claim_timeout' | 'evals_paused'
> &
  Pick<CapabilitiesResource['limits'], 'import_file_bytes' | 'compared_runs'>;

/** @param scope of the caller; `null` for the operator, who has none. */
type Provider<Name extends keyof Tellable> = (scope: Scope | null) => Tellable[Name] | Promise<Tellable[Name]>;

const UNTOLD: Tellable = {
  providers: [],
  scorers: [],
  search_modes: [],
  retention_days: null,
  claim_timeout: null,
  evals_paused: false,
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
