import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { StreamedBody } from '@spandrel/http';
import { DomainError, inTurns, Invalid } from '@spandrel/kernel';
import { tooLarge, type SpooledFile, type UploadSpool } from './upload-spool.js';

/** What a multipart body may hold beside its file. */
const FORM_BYTES_MAX = 1024 * 1024;
const PARTS_MAX = 100;

/** An upload that has arrived, and what it is written in. */
export interface ReceivedFile<Format> {
  file: SpooledFile;
  format: Format;
}

export interface UploadRules<Format> {
  bytesMax: number;
  /** Finds the format of a file by its name and media type. @throws Invalid `unsupported_media_type`. */
  formatOf: (name: string | undefined, mediaType: string | undefined) => Format;
  /** Whether the file stands on the disk encrypted; see `UploadSpool.receive`. */
  sealed?: boolean;
  /** File name of a raw body, when the query gives one. */
  name?: string | undefined;
}

/**
 * Receives the file of an import: the field `file` of a form, or the raw body.
 * @throws Invalid, what is left of the body being dropped; DomainError `request_timeout` when the client leaves.
 */
export async function receiveUpload<Format>(
  body: StreamedBody,
  spool: UploadSpool,
  rules: UploadRules<Format>,
): Promise<ReceivedFile<Format>> {
  const { bytesMax, formatOf, name, sealed } = rules;
  try {
    const isForm = /^multipart\/form-data\b/i.test(body.contentType ?? '');
    if ((body.length ?? 0) > bytesMax + (isForm ? FORM_BYTES_MAX : 0)) throw tooLarge(bytesMax);
    if (isForm) return await receiveForm(body, spool, rules);
    const format = formatOf(name ?? dispositionName(body.contentDisposition), body.contentType);
    return { format, file: await spool.receive(body.stream, bytesMax, sealed) };
  } catch (error) {
    body.stream.on('error', () => undefined).resume();
    throw body.stream.errored ? new DomainError('request_timeout', 'the upload ended early', { cause: error }) : error;
  }
}

function dispositionName(disposition: string | undefined): string | undefined {
  const [, quoted, bare] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(disposition ?? '') ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? bare;
}

async function receiveForm<Format>(
  body: StreamedBody,
  spool: UploadSpool,
  { bytesMax, formatOf, sealed }: UploadRules<Format>,
): Promise<ReceivedFile<Format>> {
  const failed = Promise.withResolvers<never>();
  const fail = (error: Error): void => failed.reject(error);
  failed.promise.catch(() => undefined);
  let part: Readable | undefined;
  let received: Promise<ReceivedFile<Format>> | undefined;
  const form = formReader(body.contentType!);
  const slices = new Slices();
  form.on('file', (field: string, stream: Readable, filename: string | undefined, _encoding: string, type: string) => {
    stream.on('error', fail);
    if (field !== 'file') return fail(otherField(field));
    if (received) return fail(new Invalid('validation_failed', ONE_FILE, ONE_FILE_ERRORS));
    part = stream;
    received = (async () => {
      const format = formatOf(filename, type);
      return { format, file: await spool.receive(stream, bytesMax, sealed) };
    })();
    received.catch(fail);
  });
  form.on('partsLimit', () => fail(new Invalid('validation_failed', ONE_FILE, ONE_FILE_ERRORS)));
  const finished = new Promise<void>((resolve) => form.once('finish', resolve));
  form.on('error', (error: unknown) => fail(malformed(error)));
  body.stream.once('error', fail);
  try {
    body.stream.pipe(slices).pipe(form);
    await Promise.race([failed.promise, finished]);
    if (!received) throw new Invalid('validation_failed', ONE_FILE, ONE_FILE_ERRORS);
    return await Promise.race([failed.promise, received]);
  } catch (error) {
    body.stream.unpipe(slices);
    slices.destroy();
    part?.destroy();
    void received?.then(({ file }) => file.close()).catch(() => undefined);
    throw error;
  } finally {
    body.stream.off('error', fail);
  }
}

/** Bytes of a form that are looked at once: hundreds of parts may begin in them. */
const SLICE_BYTES = 4_096;

/** Cuts what comes into short slices; others have their turn in between. */
class Slices extends Transform {
  override _transform(bytes: Buffer, _encoding: string, done: TransformCallback): void {
    inTurns(this.pushSlices(bytes)).then(() => done(), done);
  }

  private *pushSlices(bytes: Buffer): Generator<void, void> {
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      this.push(bytes.subarray(start, start + SLICE_BYTES));
      yield;
    }
  }
}

/** @throws Invalid when the header names no boundary. */
function formReader(contentType: string): InstanceType<typeof Busboy> {
  try {
    const limits = { parts: PARTS_MAX, fieldSize: FORM_BYTES_MAX };
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch (error) {
    throw malformed(error);
  }
}

const malformed = (error: unknown): Invalid => {
  const { message } = error instanceof Error ? error : { message: String(error) };
  return new Invalid('validation_failed', `the form cannot be read: ${message}`);
};

const FIELD_LENGTH_MAX = 100;

const otherField = (field: string): Invalid =>
  new Invalid(
    'validation_failed',
    `${ONE_FILE}, not in ${JSON.stringify(field.slice(0, FIELD_LENGTH_MAX))}`,
    ONE_FILE_ERRORS,
  );

const ONE_FILE = 'the form must have exactly one file, in the field "file"';
const ONE_FILE_ERRORS = [{ path: 'file', message: 'must be exactly one file' }];

/** A name or media type that a client made up may be of any length. */
const SHOWN_LENGTH_MAX = 100;

/** How a file came that is not taken, for the answer: `as "a.xlsx" and without a media type`. */
export function cameAs(name: string | undefined, contentType: string | undefined): string {
  const mediaType = (contentType ?? '').split(';')[0]!.trim().toLowerCase().slice(0, SHOWN_LENGTH_MAX);
  const named = name === undefined ? 'without a name' : `as ${JSON.stringify(name.slice(-SHOWN_LENGTH_MAX))}`;
  const typed = mediaType === '' ? 'without a media type' : `with the media type ${JSON.stringify(mediaType)}`;
  return `${named} and ${typed}`;
}
