/** First on every stream: how long a client waits before it comes back, in milliseconds. */
export const RETRY = Buffer.from('retry: 2000\n\n');
export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

/** Events as bytes of the stream. */
export interface Frames {
  bytes: Buffer;
  count: number;
}
