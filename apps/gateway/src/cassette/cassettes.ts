import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { StartError, type LoadedMasker, type Logger } from '@spandrel/kernel';
import type { GatewayError } from '../forward/answer-error.js';
import { CUSTOM } from '../target/provider-table.js';
import type { Target } from '../target/resolve-target.js';
import { withoutToken } from '../access/caller-key.js';
import type { UpstreamClient } from '../upstream/upstream-client.js';
import { CassetteExchange } from './cassette-upstream.js';
import { Cassette, type CassetteReport } from './cassette.js';
import { maskOf } from './cassette-rules.js';
import type { CassetteSettings } from './cassette.settings.js';

/** By which a call names its cassette. */
const CASSETTE_HEADER = 'x-spandrel-cassette';

/** Parts of a name between slashes: none leads out of the folder, and none is hidden. */
const NAME = /^(?!.{201})\w[\w.-]*(?:\/\w[\w.-]*)*$/;

/** How long after its last call a cassette is put in place, where the gateway runs on. */
const IDLE_MS = 1_000;

/** The cassettes of a gateway, each opened by the first call that names it. */
export class Cassettes {
  private readonly opened = new Map<string, Cassette>();
  private readonly idle = new Map<Cassette, NodeJS.Timeout>();

  /** @throws StartError in cloud mode, where callers share the folder of nobody. */
  constructor(
    private readonly settings: CassetteSettings,
    mode: 'local' | 'cloud',
    private readonly maskers: readonly LoadedMasker[],
    private readonly logger: Logger,
  ) {
    if (settings.dir !== null && mode === 'cloud') {
      throw new StartError(['gateway.cassette.dir (SPANDREL_CASSETTE_DIR): cassettes are for local mode']);
    }
  }

  /** Whether calls are recorded on cassettes alone, not as spans. */
  get areAlone(): boolean {
    return this.settings.name !== null;
  }

  /** Whether a call has to do with a cassette. */
  isNamedBy({ headers }: IncomingMessage): boolean {
    return this.areAlone || headers[CASSETTE_HEADER] !== undefined;
  }

  /**
   * Where a call goes that has to do with a cassette.
   * @returns `null` for one that has not; an error for a cassette that there cannot be.
   */
  upstreamOf(req: IncomingMessage, target: Target, next: UpstreamClient): UpstreamClient | GatewayError | null {
    const header = req.headers[CASSETTE_HEADER];
    const name = typeof header === 'string' ? header : this.settings.name;
    if (name === null) return null;
    if (this.settings.dir === null) {
      return refusal(
        'X-Spandrel-Cassette needs gateway.cassette.dir (SPANDREL_CASSETTE_DIR), the folder of the cassettes.',
      );
    }
    if (!NAME.test(name) || name.includes('..')) {
      return refusal('X-Spandrel-Cassette: a name has letters, digits, "-", "_" and ".", with "/" between its parts.');
    }
    let cassette: Cassette;
    try {
      cassette = this.open(name, this.settings.dir);
    } catch (error) {
      const reasons = error instanceof StartError ? error.faults.join('; ') : (error as Error).message;
      return refusal(`The cassette ${name} cannot be used: ${reasons}`);
    }
    const provider = target.providerName === CUSTOM ? `${CUSTOM} ${target.base.hostname}` : target.providerName;
    const url = withoutToken(req.url!);
    const facts = { headers: req.headers, url, provider, target, timing: this.settings.timing };
    const onRecorded = (): void => this.later(cassette);
    return {
      send: (request, handler) => new CassetteExchange(cassette, facts, next, onRecorded, request, handler),
    };
  }

  get reports(): CassetteReport[] {
    return [...this.opened.values()].map(({ report }) => report);
  }

  /** Puts all that was recorded in place. @throws Error when the disk does not take it. */
  close(): void {
    for (const timer of this.idle.values()) clearTimeout(timer);
    this.idle.clear();
    for (const cassette of this.opened.values()) cassette.save();
  }

  /**
   * Ends a run of tests: what was recorded is in place, and the next call with a cassette finds it as when the gateway began.
   * @returns how all of them were used.
   * @throws Error when the disk does not take what was recorded.
   */
  finish(): CassetteReport[] {
    this.close();
    const { reports } = this;
    this.opened.clear();
    return reports;
  }

  private open(name: string, dir: string): Cassette {
    let cassette = this.opened.get(name);
    if (!cassette) {
      const file = join(dir, `${name}.cassette.yaml`);
      cassette = new Cassette(file, name, this.settings.mode, (rules) => maskOf(rules, this.maskers));
      this.opened.set(name, cassette);
    }
    return cassette;
  }

  /** Something was recorded: a gateway that runs on puts it in place once no more comes, unless its run of tests is over. */
  private later(cassette: Cassette): void {
    if (this.areAlone || ![...this.opened.values()].includes(cassette)) return;
    clearTimeout(this.idle.get(cassette));
    const save = (): void => {
      try {
        cassette.save();
      } catch (error) {
        this.logger.error({ err: error }, 'a cassette could not be written');
      }
    };
    this.idle.set(cassette, setTimeout(save, IDLE_MS).unref());
  }
}

const refusal = (message: string): GatewayError => ({ code: 'validation_failed', message });
