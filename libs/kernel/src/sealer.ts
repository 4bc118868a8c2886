/** A text as it is stored encrypted. */
export interface SealedText {
  /** Id of the secret key that sealed it; empty where nothing is sealed. */
  readonly keyId: string;
  /** Nonce, ciphertext and tag, base64. */
  readonly sealedKey: string;
}

/** Seals what features keep secret with the server's secret key; the feature `connections` provides it, which has the keys. */
export interface Sealer {
  /** @param projectId the project that the text is sealed for: in a row of another one it cannot be opened. */
  seal(text: string, projectId: string): SealedText;
  /** @returns `undefined` when this server lacks the key, or the text, its project or its key was changed. */
  unseal(sealed: SealedText, projectId: string): string | undefined;
}

/** Injection token of the {@link Sealer} for keys that texts are masked with. */
export const MASKING_SEALER = Symbol('masking sealer');
