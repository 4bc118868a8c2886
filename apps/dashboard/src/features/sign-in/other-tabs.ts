const CHANNEL = 'spandrel.session';

/** Tells the other tabs of this browser that somebody signed in or out. */
export function tellOtherTabs(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** Calls back when another tab signed in or out. @returns ends that. */
export function hearOtherTabs(onChange: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = onChange;
  return () => channel.close();
}
