import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { readStages, wholeStage, type Copy, type Stage } from './dockerfile.ts';

/** The files of an image, laid out in a folder as the Dockerfile's stages copy them. */
export interface ImageTree {
  stage: Stage;
  /** Stands for the image's /app. */
  folder: string;
  remove(): void;
}

const WORKDIR = '/app';

/**
 * Lays out an image of the Dockerfile without a container engine: what it copies from the repository, from the build
 * (this repository's dist/) and from the production packages of package-lock.json, and nothing else. Fails when
 * something it copies does not exist.
 */
export function layOutImage(target: string): ImageTree {
  const stages = readStages();
  const stage = wholeStage(stages, target);
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-image-'));
  chmodSync(folder, 0o755);
  for (const copy of stage.copies) copyInto(folder, copy, stages);
  return { stage, folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function copyInto(folder: string, { from, sources, destination }: Copy, stages: readonly Stage[]): void {
  for (const source of sources) {
    const to = join(folder, destination.endsWith('/') ? join(destination, basename(source)) : destination);
    if (from === null) cpSync(resolve(source), to, { recursive: true });
    else if (source === `${WORKDIR}/node_modules`) layOutPackages(to, wholeStage(stages, from).removed);
    else if (source.startsWith(`${WORKDIR}/dist`))
      cpSync(resolve(`.${source.slice(WORKDIR.length)}`), to, { recursive: true });
    else throw new Error(`COPY of ${source} from ${from} is not known here`);
  }
}

interface LockEntry {
  dev?: boolean;
  optional?: boolean;
}

/** What `npm ci --omit=dev --omit=optional` installs, from this repository's own node_modules. */
function layOutPackages(folder: string, removed: readonly string[]): void {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, LockEntry> };
  const installed = Object.entries(lock.packages).filter(([path]) => path.startsWith('node_modules/'));
  const isNested = (path: string) => path.indexOf('/node_modules/') > 0;
  const target = (path: string) => join(folder, path.slice('node_modules/'.length));
  const wanted = installed.filter(([path, { dev, optional }]) => !dev && !optional && !isNested(path));
  const byFolder = Map.groupBy(wanted, ([path]) => dirname(target(path)));
  for (const [to, entries] of byFolder)
    linkInto(
      to,
      entries.map(([path]) => path),
    );
  for (const [path, { dev, optional }] of installed) {
    if ((dev || optional) && isNested(path)) rmSync(target(path), { recursive: true, force: true });
  }
  for (const path of removed) {
    if (!existsSync(target(path))) throw new Error(`the Dockerfile removes ${path}, which is not installed`);
    rmSync(target(path), { recursive: true });
  }
}

/** Copies folders by hard links, or as they are where source and target lie on different disks. */
function linkInto(folder: string, paths: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  if (spawnSync('cp', ['-al', ...paths, folder]).status === 0) return;
  const copied = spawnSync('cp', ['-a', ...paths, folder], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(copied.stderr);
}
