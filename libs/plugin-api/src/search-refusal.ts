/** An error that says: this cannot be taken, however often it comes. See {@link SearchIndex}. */
export const refusal = (message: string, options?: ErrorOptions): Error & { refused: true } =>
  Object.assign(new Error(message, options), { refused: true as const });
