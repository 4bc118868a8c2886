import { createCipheriv, createDecipheriv, randomBytes, type Cipheriv, type Decipheriv } from 'node:crypto';

const ALGORITHM = 'aes-256-ctr';

/** A key for one file, in memory alone: what is on the disk is unreadable for everybody else, and after this process. */
export class FileSeal {
  private readonly key = randomBytes(32);
  private readonly iv = randomBytes(16);

  /** Encrypts the bytes of the file from the first one on. */
  cipher(): Cipheriv {
    return createCipheriv(ALGORITHM, this.key, this.iv);
  }

  /** Decrypts them again. */
  decipher(): Decipheriv {
    return createDecipheriv(ALGORITHM, this.key, this.iv);
  }
}
