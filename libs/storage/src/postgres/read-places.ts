import { Unavailable } from '@spandrel/kernel';
import type { LongReadOptions } from '../backend.js';

/** How long a long read waits for a place: a caller is told to come again sooner than a step of a long work. */
const WAIT_MS_MAX = 5_000;
const PATIENT_WAIT_MS_MAX = 60_000;

interface Waiting {
  patient: boolean;
  enter: () => void;
}

/**
 * Places for long reads, fewer than there are connections, so that writes and quick reads always find one. First come,
 * first served, but patient reads never take the last place.
 */
export class ReadPlaces {
  private readonly waitingReads: Waiting[] = [];
  private taken = 0;
  private takenByPatient = 0;

  /** @param max at least one. */
  constructor(private readonly max: number) {}

  /** How many reads wait for a place. */
  get waiting(): number {
    return this.waitingReads.length;
  }

  /**
   * Waits for a place.
   * @returns gives it back; to be called once.
   * @throws the signal's reason when it fires first, Unavailable when no place becomes free in time.
   */
  async take({ signal, patient = false }: LongReadOptions = {}): Promise<() => void> {
    signal?.throwIfAborted();
    if (!this.mayEnter(patient)) await this.wait(patient, signal);
    else this.count(patient, 1);
    return () => {
      this.count(patient, -1);
      this.admit();
    };
  }

  private async wait(patient: boolean, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { patient, enter: resolve };
    const leave = (reason: unknown): void => {
      const index = this.waitingReads.indexOf(waiting);
      if (index === -1) return;
      this.waitingReads.splice(index, 1);
      reject(reason);
    };
    const abort = (): void => leave(signal!.reason);
    const timer = setTimeout(
      () => leave(new Unavailable('the database is busy with other lists, searches and exports')),
      patient ? PATIENT_WAIT_MS_MAX : WAIT_MS_MAX,
    );
    signal?.addEventListener('abort', abort, { once: true });
    this.waitingReads.push(waiting);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Who enters is counted here, before anyone else can look. */
  private admit(): void {
    for (let next = this.next(); next !== -1; next = this.next()) {
      const [{ patient, enter } = { patient: false, enter: () => undefined }] = this.waitingReads.splice(next, 1);
      this.count(patient, 1);
      enter();
    }
  }

  private next(): number {
    return this.waitingReads.findIndex(({ patient }) => this.mayEnter(patient));
  }

  private mayEnter(patient: boolean): boolean {
    return this.taken < this.max && (!patient || this.takenByPatient < Math.max(1, this.max - 1));
  }

  private count(patient: boolean, by: 1 | -1): void {
    this.taken += by;
    if (patient) this.takenByPatient += by;
  }
}
