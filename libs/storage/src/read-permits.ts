import { LOCAL_SCOPE, Unavailable } from '@spandrel/kernel';
import type { LongReadOptions } from './backend.js';

/** How long a long read waits for a permit: a caller is asked to come again sooner than a step of a long work. */
const WAIT_MS_MAX = { quick: 5_000, patient: 60_000 };

/** A read that has a permit or waits for one; the service's own have no organization. */
interface Reading {
  orgId: string | undefined;
  patient: boolean;
  enter: () => void;
}

/**
 * Permits for long reads, fewer than there are connections, so that writes and quick reads always find one. An
 * organization has half of them at most, rounded up, so that the others find one too
 * (docs/spec/limits.md#long-reads-of-an-organization); those that wait take turns.
 */
export class ReadPermits {
  private readonly taken = new Set<Reading>();
  private readonly queue = new Set<Reading>();
  /** The turn in which each organization that has a permit or waits for one got its last, or came. */
  private readonly turns = new Map<string | undefined, number>();
  private turn = 0;

  /** @param max at least one. @param waitMsMax how long reads wait; `null`: until there is a permit. */
  constructor(
    private readonly max: number,
    private readonly waitMsMax: typeof WAIT_MS_MAX | null = WAIT_MS_MAX,
  ) {}

  get waiting(): number {
    return this.queue.size;
  }

  /**
   * @returns gives the permit back; to be called once.
   * @throws the signal's reason when it fires first, Unavailable when no permit becomes free in time.
   */
  async take({ signal, patient = false, orgId }: LongReadOptions = {}): Promise<() => void> {
    signal?.throwIfAborted();
    const { promise, resolve: enter, reject } = Promise.withResolvers<void>();
    const reading = { orgId: orgId === LOCAL_SCOPE.orgId ? undefined : orgId || undefined, patient, enter };
    this.queue.add(reading);
    if (!this.turns.has(reading.orgId)) this.turns.set(reading.orgId, this.turn++);
    if (this.hasRoom(reading)) this.admit(reading);
    else await this.wait(reading, promise, reject, signal);
    return () => {
      this.taken.delete(reading);
      this.forgetUnused(reading);
      while (this.admitNext());
    };
  }

  private async wait(
    reading: Reading,
    entered: Promise<void>,
    giveUp: (reason: unknown) => void,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const leave = (reason: unknown): void => {
      if (!this.queue.delete(reading)) return;
      this.forgetUnused(reading);
      giveUp(reason);
    };
    const abort = (): void => leave(signal!.reason);
    const busy = (): void =>
      leave(new Unavailable('the database is busy with other lists, searches and exports; try again soon'));
    const timer = this.waitMsMax ? setTimeout(busy, this.waitMsMax[reading.patient ? 'patient' : 'quick']) : undefined;
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await entered;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Lets in the read that has waited longest of the organization whose turn is longest ago. @returns whether there was one. */
  private admitNext(): boolean {
    const turnOf = ({ orgId }: Reading): number => this.turns.get(orgId)!;
    let next: Reading | undefined;
    for (const one of this.queue) if ((!next || turnOf(one) < turnOf(next)) && this.hasRoom(one)) next = one;
    if (next) this.admit(next);
    return next !== undefined;
  }

  /** Who enters is counted here, before anyone else can look. */
  private admit(reading: Reading): void {
    this.queue.delete(reading);
    this.taken.add(reading);
    this.turns.set(reading.orgId, this.turn++);
    reading.enter();
  }

  private hasRoom({ orgId, patient }: Reading): boolean {
    return this.fits(this.max, patient) && (orgId === undefined || this.fits(Math.ceil(this.max / 2), patient, orgId));
  }

  /** Whether one more may be taken, of so many, which an organization has or all have; patient reads never take the last. */
  private fits(max: number, patient: boolean, orgId?: string): boolean {
    let [taken, patients] = [0, 0];
    for (const one of this.taken) {
      if (orgId !== undefined && one.orgId !== orgId) continue;
      taken++;
      if (one.patient) patients++;
    }
    return taken < max && (!patient || patients < Math.max(1, max - 1));
  }

  private forgetUnused({ orgId }: Reading): void {
    if (![...this.taken, ...this.queue].some((one) => one.orgId === orgId)) this.turns.delete(orgId);
  }
}
