import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';

/** Encodings that the build writes beside a file, the smallest first. */
export const ENCODINGS = ['br', 'gzip'] as const;
type Encoding = (typeof ENCODINGS)[number];

const EXTENSIONS: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

/** A file of the dashboard as it is served: read once, kept in memory. */
export interface BuiltFile {
  /** The address, which begins with a slash: `/assets/main-Bx3_9aKq.js`. */
  path: string;
  mediaType: string;
  /** The name has a hash of the contents: whoever has the file need never ask again. */
  isImmutable: boolean;
  plain: BuiltBody;
  encoded: ReadonlyMap<Encoding, BuiltBody>;
}

/** Bytes of a file in one encoding, and the strong validator of exactly these (RFC 9110, 8.8.3). */
interface BuiltBody {
  bytes: Buffer;
  etag: string;
}

/** A file that the build gave no known extension is a fault of the build. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

/** Vite puts eight characters of a hash behind the last hyphen. */
const IMMUTABLE = /^\/assets\/.+-[\w-]{8}\.\w+$/;

/**
 * The files of a folder that the build made.
 * @returns none where there is no such folder.
 * @throws Error for a file whose media type is not known, and when a file cannot be read.
 */
export async function readBuiltFiles(folder: string): Promise<BuiltFile[]> {
  const found = await filesOf(folder);
  const isEncoded = (file: string): boolean => Object.values(EXTENSIONS).includes(extname(file));
  return Promise.all(found.filter((file) => !isEncoded(file)).map((file) => readBuilt(folder, file, new Set(found))));
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function readBuilt(folder: string, file: string, found: ReadonlySet<string>): Promise<BuiltFile> {
  const mediaType = MEDIA_TYPES[extname(file)];
  if (mediaType === undefined) throw new Error(`the media type of ${file} is not known`);
  const path = `/${relative(folder, file).split(sep).join('/')}`;
  const encoded = new Map<Encoding, BuiltBody>();
  for (const encoding of ENCODINGS) {
    const name = file + EXTENSIONS[encoding];
    if (found.has(name)) encoded.set(encoding, bodyOf(await readFile(name)));
  }
  return { path, mediaType, isImmutable: IMMUTABLE.test(path), plain: bodyOf(await readFile(file)), encoded };
}

const bodyOf = (bytes: Buffer): BuiltBody => ({
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`,
});
