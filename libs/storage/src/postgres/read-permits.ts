import { Unavailable } from '@spandrel/kernel';
import type { LongReadOptions } from '../backend.js';

/** How long a long read waits for a permit: a caller is asked to come again sooner than a step of a long work. */
const WAIT_MS_MAX = 5_000;
const PATIENT_WAIT_MS_MAX = 60_000;

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
  private readonly shareMax: number;
  /** By organization, whose turn is longest ago first; those who neither have a permit nor wait are not in it. */
  private readonly parties = new Map<string | undefined, Party>();

  /** @param max at least one. */
  constructor(private readonly max: number) {
    this.all = new Share(max);
    this.shareMax = Math.ceil(max / 2);
  }

  /** How many reads wait for a permit. */
  get waiting(): number {
    return this.parties.values().reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /**
   * Waits for a permit.
   * @returns gives it back; to be called once.
   * @throws the signal's reason when it fires first, Unavailable when no permit becomes free in time.
   */
  async take({ signal, patient = false, orgId }: LongReadOptions = {}): Promise<() => void> {
    signal?.throwIfAborted();
    const party = this.partyOf(orgId);
    if (this.hasRoom(party, patient)) this.enter(orgId, party, patient);
    else await this.wait(orgId, party, patient, signal);
    return () => {
      this.count(party, patient, -1);
      this.forgetUnused(orgId, party);
      this.admit();
    };
  }

  private partyOf(orgId: string | undefined): Party {
    const known = this.parties.get(orgId);
    if (known) return known;
    const party = { share: new Share(orgId === undefined ? this.max : this.shareMax), waiting: [] };
    this.parties.set(orgId, party);
    return party;
  }

  private async wait(
    orgId: string | undefined,
    party: Party,
    patient: boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { patient, enter: resolve };
    const leave = (reason: unknown): void => {
      const index = party.waiting.indexOf(waiting);
      if (index === -1) return;
      party.waiting.splice(index, 1);
      this.forgetUnused(orgId, party);
      reject(reason);
    };
    const abort = (): void => leave(signal!.reason);
    const timer = setTimeout(
      () => leave(new Unavailable('the database is busy with other lists, searches and exports; try again soon')),
      patient ? PATIENT_WAIT_MS_MAX : WAIT_MS_MAX,
    );
    signal?.addEventListener('abort', abort, { once: true });
    party.waiting.push(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Lets in those who may enter now, one of each party in turn. */
  private admit(): void {
    while (this.admitNext());
  }

  private admitNext(): boolean {
    for (const [orgId, party] of this.parties) {
      const index = party.waiting.findIndex(({ patient }) => this.hasRoom(party, patient));
      if (index === -1) continue;
      const [{ patient, enter }] = party.waiting.splice(index, 1) as [Waiting];
      this.enter(orgId, party, patient);
      enter();
      return true;
    }
    return false;
  }

  /** Who enters is counted here, before anyone else can look, and comes last from now on. */
  private enter(orgId: string | undefined, party: Party, patient: boolean): void {
    this.count(party, patient, 1);
    this.parties.delete(orgId);
    this.parties.set(orgId, party);
  }

  private hasRoom({ share }: Party, patient: boolean): boolean {
    return this.all.hasRoom(patient) && share.hasRoom(patient);
  }

  private count({ share }: Party, patient: boolean, by: 1 | -1): void {
    this.all.count(patient, by);
    share.count(patient, by);
  }

  private forgetUnused(orgId: string | undefined, { share, waiting }: Party): void {
    if (share.isUnused && waiting.length === 0) this.parties.delete(orgId);
  }
}
