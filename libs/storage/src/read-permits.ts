import { LOCAL_SCOPE, Unavailable } from '@spandrel/kernel';
import type { LongReadOptions } from './backend.js';

/** How long a long read waits for a permit: a caller is asked to come again sooner than a step of a long work. */
const WAIT_MS_MAX = { quick: 5_000, patient: 60_000 };

interface Waiting {
  patient: boolean;
  enter: () => void;
}

/** Permits that are taken, of so many; patient reads never take the last. */
class Share {
  private taken = 0;
  private takenByPatient = 0;

  constructor(private readonly max: number) {}

  get isUnused(): boolean {
    return this.taken === 0;
  }

  hasRoom(patient: boolean): boolean {
    return this.taken < this.max && (!patient || this.takenByPatient < Math.max(1, this.max - 1));
  }

  count(patient: boolean, by: 1 | -1): void {
    this.taken += by;
    if (patient) this.takenByPatient += by;
  }
}

/** An owner of reads that share permits: an organization, or the service itself. */
interface Party {
  orgId: string | undefined;
  share: Share;
  /** First come, first served. */
  waiting: Waiting[];
}

/**
 * Permits for long reads, fewer than there are connections, so that writes and quick reads always find one. An
 * organization has half of them at most, rounded up, so that the others find one too
 * (docs/spec/limits.md#long-reads-of-an-organization); those that wait take turns.
 */
export class ReadPermits {
  private readonly all: Share;
  /** By organization, whose turn is longest ago first; those who neither have a permit nor wait are not in it. */
  private readonly parties = new Map<string | undefined, Party>();

  /** @param max at least one. @param waitMsMax how long reads wait; `null`: until there is a permit. */
  constructor(
    private readonly max: number,
    private readonly waitMsMax: typeof WAIT_MS_MAX | null = WAIT_MS_MAX,
  ) {
    this.all = new Share(max);
  }

  get waiting(): number {
    return this.parties.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /**
   * @returns gives the permit back; to be called once.
   * @throws the signal's reason when it fires first, Unavailable when no permit becomes free in time.
   */
  async take({ signal, patient = false, orgId }: LongReadOptions = {}): Promise<() => void> {
    signal?.throwIfAborted();
    const party = this.partyOf(orgId === LOCAL_SCOPE.orgId ? undefined : orgId || undefined);
    if (this.hasRoom(party, patient)) this.enter(party, patient);
    else await this.wait(party, patient, signal);
    return () => {
      this.count(party, patient, -1);
      this.forgetUnused(party);
      while (this.admitNext());
    };
  }

  private partyOf(orgId: string | undefined): Party {
    const known = this.parties.get(orgId);
    if (known) return known;
    const share = new Share(orgId === undefined ? this.max : Math.ceil(this.max / 2));
    const party = { orgId, share, waiting: [] };
    this.parties.set(orgId, party);
    return party;
  }

  private async wait(party: Party, patient: boolean, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { patient, enter: resolve };
    const leave = (reason: unknown): void => {
      const index = party.waiting.indexOf(waiting);
      if (index === -1) return;
      party.waiting.splice(index, 1);
      this.forgetUnused(party);
      reject(reason);
    };
    const abort = (): void => leave(signal!.reason);
    const busy = (): void =>
      leave(new Unavailable('the database is busy with other lists, searches and exports; try again soon'));
    const timer = this.waitMsMax ? setTimeout(busy, this.waitMsMax[patient ? 'patient' : 'quick']) : undefined;
    signal?.addEventListener('abort', abort, { once: true });
    party.waiting.push(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Lets in one that may enter now; parties take turns. @returns whether there was one. */
  private admitNext(): boolean {
    for (const party of this.parties.values()) {
      const index = party.waiting.findIndex(({ patient }) => this.hasRoom(party, patient));
      if (index === -1) continue;
      const [{ patient, enter }] = party.waiting.splice(index, 1) as [Waiting];
      this.enter(party, patient);
      enter();
      return true;
    }
    return false;
  }

  /** Who enters is counted here, before anyone else can look, and comes last from now on. */
  private enter(party: Party, patient: boolean): void {
    this.count(party, patient, 1);
    this.parties.delete(party.orgId);
    this.parties.set(party.orgId, party);
  }

  private hasRoom({ share }: Party, patient: boolean): boolean {
    return this.all.hasRoom(patient) && share.hasRoom(patient);
  }

  private count({ share }: Party, patient: boolean, by: 1 | -1): void {
    this.all.count(patient, by);
    share.count(patient, by);
  }

  private forgetUnused({ orgId, share, waiting }: Party): void {
    if (share.isUnused && waiting.length === 0) this.parties.delete(orgId);
  }
}
