import { createHash, type Hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { BUNDLE_FORMAT, bundleManifestSchema, fieldErrors, type BundleManifest } from '@spandrel/contract';
import { Invalid, PACKAGE, Unavailable } from '@spandrel/kernel';
import { tooLarge, type SpooledFile } from '@spandrel/uploads';

/** The page of every file, as scripts/build-trace-file.mjs makes it; what it shows stands in place of the mark. */
const PAGE = join(PACKAGE.root, 'dist/trace-file/page.html');
const MARK = '<!-- parts -->';

/** The part that an import reads: the file of an export. */
export const EXPORT_PART = 'export';
const MANIFEST = 'manifest';

/** @returns what stands before the parts of a file, and what behind them. @throws Unavailable where it was not built. */
export async function readPage(): Promise<{ head: string; tail: string }> {
  const page = await readFile(PAGE, 'utf8').catch((cause: unknown) => {
    throw new Unavailable('the page of such a file is not built: npm run build makes it', { cause });
  });
  const at = page.indexOf(MARK);
  return { head: page.slice(0, at), tail: page.slice(at + MARK.length) };
}

/**
 * Writes a part of a file: compressed, in base64, which no text within can break out of.
 * @param parts gets its digest. @throws what reading the content throws.
 */
export async function* writePart(
  name: string,
  content: Readable,
  parts: BundleManifest['parts'],
): AsyncGenerator<string, void> {
  const hash = createHash('sha256');
  const gzip = createGzip();
  // An error of it is thrown by the loop.
  pipeline(content, gzip, () => undefined);
  yield `\n<script type="text/plain" data-part="${name}">`;
  let bytes = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of gzip as AsyncIterable<Buffer<ArrayBuffer>>) {
    hash.update(chunk);
    bytes += chunk.length;
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = all.length - (all.length % 3);
    yield all.toString('base64', 0, whole);
    rest = all.subarray(whole);
  }
  yield `${rest.toString('base64')}</script>`;
  parts.push({ name, bytes, sha256: hash.digest('hex') });
}

/** The manifest of a file, written so that no name in it can end the element that it stands in. */
export const writtenManifest = (manifest: BundleManifest): string =>
  `\n<script type="text/plain" data-manifest>${JSON.stringify(manifest).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}</script>`;

const OPENING = /<script type="text\/plain" data-(?:part="([a-z]+(?:-\d{1,3})?)"|manifest)>/;
/** No opening is longer: so much is kept where one may go on in the next chunk. */
const OPENING_MAX = 100;
const MANIFEST_MAX = 1024 * 1024;
/** More than a file of as many traces as there may be in one has. */
const PARTS_MAX = 1_000;

/** A file with traces that was uploaded, read part by part; nothing of it is trusted. */
export class BundleFile {
  /** @param bytesMax that the part for the import may come to, decompressed. */
  constructor(
    private readonly file: Pick<SpooledFile, 'chunks'>,
    private readonly bytesMax: number,
  ) {}

  /**
   * Reads the manifest and compares the digest of each part.
   * @param stop is looked at time and again; its reason is thrown.
   * @throws Invalid `validation_failed` naming the part that was changed, or what else is wrong.
   */
  async check(stop: AbortSignal): Promise<BundleManifest> {
    const digests = new Map<string, { hash: Hash; base64: Base64 }>();
    let written = '';
    for await (const { name, text } of this.pieces()) {
      stop.throwIfAborted();
      if (name === MANIFEST) {
        written += text;
        if (written.length > MANIFEST_MAX) throw notABundle('its manifest is too long');
        continue;
      }
      if (digests.size >= PARTS_MAX && !digests.has(name)) throw notABundle(`it has more than ${PARTS_MAX} parts`);
      const known = digests.get(name) ?? { hash: createHash('sha256'), base64: new Base64() };
      digests.set(name, known);
      known.hash.update(known.base64.decode(text));
    }
    const manifest = readManifest(written);
    const expected = new Map(manifest.parts.map(({ name, sha256 }) => [name, sha256]));
    for (const name of new Set([EXPORT_PART, ...expected.keys(), ...digests.keys()])) {
      const digest = digests.get(name)?.hash.digest('hex');
      if (digest !== undefined && digest === expected.get(name)) continue;
      const message = digest === undefined ? 'is missing' : 'was changed after the file was made: its SHA-256 differs';
      throw new Invalid('validation_failed', `the part "${name}" ${message}`, [{ path: `parts.${name}`, message }]);
    }
    return manifest;
  }

  /** The file of an export within it. @throws Invalid `payload_too_large`, or `validation_failed` where it is damaged. */
  async *chunks(): AsyncGenerator<Buffer> {
    const gunzip = createGunzip();
    pipeline(Readable.from(this.bytesOf(EXPORT_PART)), gunzip, () => undefined);
    let bytes = 0;
    try {
      for await (const chunk of gunzip as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > this.bytesMax) throw tooLarge(this.bytesMax);
        yield chunk;
      }
    } catch (error) {
      if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
      throw new Invalid('validation_failed', `the part "${EXPORT_PART}" cannot be decompressed`);
    }
  }

  private async *bytesOf(wanted: string): AsyncGenerator<Buffer> {
    const base64 = new Base64();
    for await (const { name, text } of this.pieces()) if (name === wanted) yield base64.decode(text);
  }

  private async *pieces(): AsyncGenerator<{ name: string; text: string }> {
    let rest = '';
    let name: string | null = null;
    for await (const chunk of this.file.chunks()) {
      rest += chunk.toString('latin1');
      for (;;) {
        if (name === null) {
          const opening = OPENING.exec(rest);
          if (!opening) break;
          name = opening[1] ?? MANIFEST;
          rest = rest.slice(opening.index + opening[0].length);
        }
        const end = rest.indexOf('<');
        yield { name, text: end === -1 ? rest : rest.slice(0, end) };
        rest = end === -1 ? '' : rest.slice(end);
        if (end === -1) break;
        name = null;
      }
      if (name === null) rest = rest.slice(-OPENING_MAX);
    }
  }
}

class Base64 {
  private rest = '';

  decode(text: string): Buffer {
    const all = this.rest + text;
    const whole = all.length - (all.length % 4);
    this.rest = all.slice(whole);
    return Buffer.from(all.slice(0, whole), 'base64');
  }
}

/** @param written as UTF-8, a unit a byte. */
function readManifest(written: string): BundleManifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(Buffer.from(written, 'latin1').toString());
  } catch {
    throw notABundle(written === '' ? 'it has no manifest' : 'its manifest cannot be read');
  }
  const { format, version } = (manifest ?? {}) as { format?: unknown; version?: unknown };
  if (typeof format === 'number' && format > BUNDLE_FORMAT) {
    const newer = `it was made by Spandrel ${String(version).slice(0, 20)} in format ${format}`;
    const message = `${newer}; this server has version ${PACKAGE.version} and reads format ${BUNDLE_FORMAT}: update it`;
    throw new Invalid('validation_failed', message, [{ path: 'format', message }]);
  }
  const parsed = bundleManifestSchema.safeParse(manifest);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = fieldErrors(parsed.error) as [{ path: string; message: string }];
  throw notABundle(`${path} of its manifest ${message}`);
}

const notABundle = (why: string): Invalid =>
  new Invalid('validation_failed', `this is no file of traces that Spandrel made: ${why}`);
