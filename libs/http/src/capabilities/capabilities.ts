import type { CapabilitiesResource } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';

/** What features tell of themselves, by its name on the wire. */
type Tellable = Pick<
  CapabilitiesResource,
  'providers' | 'scorers' | 'search_modes' | 'retention_days' | 'claim_timeout' | 'evals_paused'
> &
  Pick<CapabilitiesResource['limits'], 'import_file_bytes' | 'compared_runs'>;

/** @param scope of the caller; `null` for the operator, who has none. */
type Teller<Name extends keyof Tellable> = (scope: Scope | null) => Tellable[Name] | Promise<Tellable[Name]>;

/** What is said of a feature that is left out. */
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

/** What this server can do, told by the features that it has (docs/spec/capabilities.md#the-answer). */
export class Capabilities {
  private readonly tellers: { [Name in keyof Tellable]?: Teller<Name> } = {};

  /** Says how a capability is found out; called once for each, before the server listens. */
  tell<Name extends keyof Tellable>(name: Name, teller: Teller<Name>): void {
    if (this.tellers[name]) throw new Error(`two features tell the capability ${name}`);
    Object.assign(this.tellers, { [name]: teller });
  }

  /** All of them, for a caller. @throws what finding one out throws. */
  async all(scope: Scope | null): Promise<Tellable> {
    const told = await Promise.all(
      Object.entries(this.tellers).map(async ([name, teller]) => [name, await teller(scope)] as const),
    );
    return { ...UNTOLD, ...(Object.fromEntries(told) as Partial<Tellable>) };
  }
}
