import { readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { BuiltFile, ENCODINGS } from './built-file.js';

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
 * The files of a folder that the build made, by their addresses. Those without a hash in their name are read now: when
 * a build replaces them, other bytes have their name.
 * @returns none where there is no such folder. @throws Error for an unknown media type or a file that cannot be read.
 */
export async function listBuiltFiles(folder: string): Promise<ReadonlyMap<string, BuiltFile>> {
  const found = new Set(await filesOf(folder));
  const isEncoded = (file: string): boolean => ENCODINGS.some(({ extension }) => extname(file) === extension);
  const files = [...found].filter((file) => !isEncoded(file)).map((file) => builtFile(folder, file, found));
  await Promise.all(files.filter(({ facts }) => !facts.isImmutable).map((file) => file.readAll()));
  return new Map(files.map((file) => [file.facts.path, file]));
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

function builtFile(folder: string, file: string, found: ReadonlySet<string>): BuiltFile {
  const mediaType = MEDIA_TYPES[extname(file)];
  if (mediaType === undefined) throw new Error(`the media type of ${file} is not known`);
  const path = `/${relative(folder, file).split(sep).join('/')}`;
  const encodings = ENCODINGS.filter(({ extension }) => found.has(file + extension)).map(({ name }) => name);
  return new BuiltFile({ file, path, mediaType, isImmutable: IMMUTABLE.test(path), encodings });
}
