import { open, readdir, rm, unlink, type FileHandle } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createCipheriv, createDecipheriv, randomBytes, type Decipheriv } from 'node:crypto';
import { Inject, Injectable, type OnModuleInit, Module } from '@nestjs/common';
import {
  CoreSettings,
  Invalid,
  LOGGER,
  makeDirectory,
  newId,
  PRIVATE_FILE,
  settingName,
  Unavailable,
  useDirectory,
  type Logger,
} from '@spandrel/kernel';

/** Bytes read back at once: each read costs as much as looking through tens of kilobytes. */
const CHUNK_BYTES = 128 * 1024;

export interface SpooledFile {
  /** The bytes from the first one on; may be called several times. A chunk is there until the next one is asked for. */
  chunks(): AsyncIterable<Buffer>;
  /** Deletes the file, which frees its space. */
  close(): Promise<void>;
}

/** Keeps uploads on disk, in files without names, until they have arrived: a slow client holds up its own request alone. */
@Injectable()
export class UploadSpool implements OnModuleInit {
  /** `null`: that of the system, which others use too. */
  private readonly own: string | null;

  constructor(
    { mode, dataDir }: CoreSettings,
    @Inject(LOGGER) private readonly logger?: Logger,
  ) {
    this.own = mode === 'local' ? join(dataDir, 'uploads') : null;
  }

  /** Removes what a killed process left. @throws StartError when something else stands where uploads are to be kept. */
  async onModuleInit(): Promise<void> {
    if (this.own === null || !existsSync(this.own)) return;
    useDirectory(settingName(CoreSettings.declared.dataDir), this.own, this.logger);
    for (const name of await readdir(this.own)) await rm(join(this.own, name), { force: true, recursive: true });
  }

  /**
   * Writes a stream to disk. The stream is left open when this fails.
   * @param bytesMax largest size of the whole stream.
   * @param sealed whether it stands on the disk encrypted, by a key that this process alone has: of a project that masks.
   * @throws Invalid `payload_too_large`; Unavailable when the disk does not take it; what the stream throws.
   */
  async receive(stream: Readable, bytesMax: number, sealed = false): Promise<SpooledFile> {
    const file = await this.create();
    // A key in memory alone: what is on the disk is unreadable for everybody else, and after this process.
    const seal = sealed ? (['aes-256-ctr', randomBytes(32), randomBytes(16)] as const) : null;
    const cipher = seal && createCipheriv(...seal);
    try {
      let bytes = 0;
      for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > bytesMax) throw tooLarge(bytesMax);
        const written = cipher ? cipher.update(chunk) : chunk;
        await onDisk(() => file.writeFile(written));
      }
      return {
        chunks: () => (seal ? opened(chunksOf(file), createDecipheriv(...seal)) : chunksOf(file)),
        close: () => file.close(),
      };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  private create(): Promise<FileHandle> {
    return onDisk(async () => {
      if (this.own !== null) makeDirectory(this.own);
      const path = join(this.own ?? tmpdir(), `spandrel-upload-${newId()}`);
      const file = await open(path, 'wx+', PRIVATE_FILE);
      await unlink(path);
      return file;
    });
  }
}

/** What is said to an upload beyond the limit. */
export const tooLarge = (bytesMax: number): Invalid =>
  new Invalid('payload_too_large', `the file is larger than ${bytesMax} bytes`);

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  // One buffer for all: memory outside of V8's heap is what has V8 collect all of it.
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    const { bytesRead } = await onDisk(() => file.read(chunk, 0, CHUNK_BYTES, position));
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

async function* opened(chunks: AsyncIterable<Buffer>, decipher: Decipheriv): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield decipher.update(chunk);
}

async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Unavailable('the upload could not be stored: the disk of the server is full or failed', { cause: error });
  }
}

/** Uploaded files, kept on disk until they have arrived as a whole. */
@Module({ providers: [UploadSpool], exports: [UploadSpool] })
export class UploadsModule {}
