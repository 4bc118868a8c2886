/** A call that got no usable answer. `message` is one sentence without secrets, fit for answers and results. */
export class ConnectionCallError extends Error {
  override readonly name = 'ConnectionCallError';

  constructor(
    /**
     * `refused`: not sent, since it would leave the connection's own server, lead to an address that is not public where
     * that is not allowed, or is no proper request; `network`: no
     * connection, or cut; `timeout`; `aborted`: by the caller's signal; `too-large`: over {@link ANSWER_BYTES_MAX}.
     */
    readonly kind: 'refused' | 'network' | 'timeout' | 'aborted' | 'too-large',
    message: string,
  ) {
    super(message);
  }
}

/** Most bytes of an answer, as it comes and decoded. */
export const ANSWER_BYTES_MAX = 32 << 20;

export const tooLarge = (): ConnectionCallError =>
  new ConnectionCallError('too-large', `the answer is larger than ${ANSWER_BYTES_MAX >> 20} MiB`);
