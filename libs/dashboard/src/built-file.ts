import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Encodings that the build writes beside a file, the smallest first. */
export const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

export type Encoding = (typeof ENCODINGS)[number]['name'];

/** Bytes of a file in one encoding, and the strong validator of exactly these (RFC 9110, 8.8.3). */
export interface BuiltBody {
  bytes: Buffer;
  etag: string;
}

interface FileFacts {
  file: string;
  /** The address, which begins with a slash: `/assets/main-Bx3_9aKq.js`. */
  path: string;
  mediaType: string;
  /** The name has a hash of the contents: anyone who has the file need never ask again. */
  isImmutable: boolean;
  /** Encodings that lie beside the file, in the order of {@link ENCODINGS}. */
  encodings: readonly Encoding[];
}

/** A file of the dashboard as it is served: each of its encodings is read once, and kept in memory. */
export class BuiltFile {
  private readonly bodies = new Map<Encoding | undefined, BuiltBody>();

  constructor(readonly facts: FileFacts) {}

  /** The file in one of its encodings, the plain one without. @throws the file system's error at its first reading. */
  async body(encoding: Encoding | undefined): Promise<BuiltBody> {
    const known = this.bodies.get(encoding);
    if (known) return known;
    const extension = ENCODINGS.find(({ name }) => name === encoding)?.extension ?? '';
    const body = bodyOf(await readFile(this.facts.file + extension));
    this.bodies.set(encoding, body);
    return body;
  }

  async readAll(): Promise<void> {
    await Promise.all([undefined, ...this.facts.encodings].map((encoding) => this.body(encoding)));
  }
}

const bodyOf = (bytes: Buffer): BuiltBody => ({
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
});
