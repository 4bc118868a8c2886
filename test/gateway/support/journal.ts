import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FrameType } from '../../../apps/gateway/src/spool/journal-frames.js';
import { decodeSegment } from '../../../apps/gateway/src/spool/segment-frames.js';
import { Segment } from '../../../apps/gateway/src/spool/segment.js';

/** The files of the journal in a spool directory, oldest first. */
export const journalFiles = (spoolDir: string): string[] =>
  readdirSync(spoolDir)
    .filter((name) => name.endsWith('.journal'))
    .sort()
    .map((name) => join(spoolDir, name));

/** Everything in them, as one text. */
export const journalText = (spoolDir: string): string =>
  journalFiles(spoolDir)
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');

/** Ids of the calls that a gateway which starts now would recover, in their order. */
export function keptCalls(spoolDir: string): string[] {
  const frames = journalFiles(spoolDir).flatMap((file) => framesOf(file));
  const done = new Set(frames.filter(({ type }) => type === FrameType.Done).map(({ id }) => id));
  const begun = frames.filter(({ type, id }) => type === FrameType.Facts && !done.has(id));
  return [...new Set(begun.map(({ id }) => id))];
}

/** The frames of a file of the journal. */
export const framesOf = (file: string): ReturnType<typeof decodeSegment>['frames'] =>
  decodeSegment(readFileSync(file), Segment.ofFile(file)!.marker).frames;
