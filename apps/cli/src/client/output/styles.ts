import { styleText } from 'node:util';
import type { CommandIo, OutputStream } from '../command-io.js';

/** How a piece of text looks on a terminal with colours. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Gives a text its style, or leaves it as it is where colours are not wanted. */
export type Paint = (text: string, style: Style | undefined) => string;

/** @returns paint for a stream: of a terminal alone, and not with `NO_COLOR` (https://no-color.org). */
export const paintFor = (stream: OutputStream, env: CommandIo['env']): Paint =>
  hasColours(stream, env) ? painted : plain;

const painted: Paint = (text, style) =>
  style === undefined || text === '' ? text : styleText(style, text, { validateStream: false });

/** Leaves every text as it is. */
export const plain: Paint = (text) => text;

function hasColours(stream: OutputStream, env: CommandIo['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}
