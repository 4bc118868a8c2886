import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
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
 * (this repository's dist/, or the gateway's) and from the production packages of package-lock.json, and nothing else. Fails when
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
    else if (source.startsWith(`${WORKDIR}/node_modules/`)) linkPackage(source.slice(WORKDIR.length + 1), to);
    else if (source === `${WORKDIR}/dist`) layOutBuild(wholeStage(stages, from), to);
    else throw new Error(`COPY of ${source} from ${from} is not known here`);
  }
}

const BUILD = /^npm run build(?: -- (.*))?$/;

/** This repository's dist/, or a build of its own, copied as the last stage of the Dockerfile does. */
function layOutBuild(stage: Stage, to: string): void {
  const flags = BUILD.exec(stage.runs.findLast((run) => BUILD.test(run)) ?? '')?.[1];
  if (flags === undefined) return cpSync('dist', to, { recursive: true });
  const tree = mkdtempSync(join(tmpdir(), 'spandrel-build-'));
  for (const copy of stage.copies) if (copy.from === null) copyInto(tree, copy, []);
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
  const build = ['scripts/build.mjs', ...flags.split(' '), '--out', to];
  const { status, stderr } = spawnSync(process.execPath, build, { cwd: tree });
  rmSync(tree, { recursive: true, force: true });
  if (status !== 0) throw new Error(String(stderr));
}

/** A package that `npm ci --omit=dev --omit=optional` installs, from this repository's own node_modules. */
function linkPackage(path: string, to: string): void {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  const entry = packages[path];
  if (!entry || entry.dev || entry.optional) throw new Error(`${path} is no package of production`);
  mkdirSync(dirname(to), { recursive: true });
  // By hard links, or as it is where source and target lie on different disks.
  if (spawnSync('cp', ['-al', path, to]).status === 0) return;
  // Folders that the links were to lie in are there already, and would be copied into.
  rmSync(to, { recursive: true, force: true });
  const copied = spawnSync('cp', ['-a', path, to], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(copied.stderr);
}
