import type { BrowserSessionResource } from '@spandrel/contract';
import { readStored, store } from '../components/storage.js';

/** What a look at the session is made with; tests have their own. */
interface LookParts {
  /** Asks the server who is signed in, `null` for somebody who may not read the tab's project; fails where it does not answer. */
  read(): Promise<BrowserSessionResource | null>;
  /** Called what the server says. */
  onSession(now: BrowserSessionResource | null): void;
  /** Runs later; @returns keeps it from running. */
  later(ms: number, run: () => void): () => void;
}

/** A server that did not answer said nothing about the session: it is asked again. */
const AGAIN_MS = 5_000;

/** Finds out what became of the session of a tab, however long the server does not answer. */
export class SessionLook {
  private cancelAgain: (() => void) | null = null;
  private isOver = false;

  constructor(private readonly parts: LookParts) {}

  /** Asks now, and again until there is an answer. */
  look(): void {
    this.cancelAgain?.();
    this.cancelAgain = null;
    this.parts.read().then(
      (now) => {
        if (!this.isOver) this.parts.onSession(now);
      },
      () => this.lookAgain(),
    );
  }

  /** Nobody wants to know any more. */
  end(): void {
    this.isOver = true;
    this.cancelAgain?.();
  }

  private lookAgain(): void {
    if (this.isOver) return;
    this.cancelAgain?.();
    this.cancelAgain = this.parts.later(AGAIN_MS, () => this.look());
  }
}

const CHANNEL = 'spandrel.session';

const LEFT_TO_SIGN_IN = 'spandrel.signing-in';

/** Keeps that this browser goes to the identity provider: the page that it comes back to notifies the tabs that wait. */
export const noteSignIn = (): void => store(LEFT_TO_SIGN_IN, 'yes');

/** {@link notifyOtherTabs} where somebody has come back from the identity provider. */
export function notifyOfSignIn(): void {
  if (!readStored(LEFT_TO_SIGN_IN)) return;
  store(LEFT_TO_SIGN_IN, '');
  notifyOtherTabs();
}

/** Notifies the other tabs of this browser that somebody signed in or out. */
export function notifyOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** Calls back when another tab signed in or out. @returns ends that. */
export function onOtherTabs(onChange: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = onChange;
  return () => channel.close();
}
