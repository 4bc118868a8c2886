import fs from 'node:fs';
import path from 'node:path';
import { closeDirectory, PRIVATE_DIRECTORY, type Logger } from '@spandrel/kernel';

interface QuarantineLimits {
  files: number;
  bytes: number;
}

/** Notified of files that come in and files that have to leave. */
export interface QuarantineObserver {
  quarantined(): void;
  quarantineRemoved(): void;
}

const FOLDER = 'quarantine';
const LIMITS: QuarantineLimits = { files: 1_000, bytes: 64 * 1024 * 1024 };

/** Closes the quarantine of a spool directory to other users, where there is one. @returns its files. */
export function closeQuarantine(directory: string, logger: Logger): string[] {
  const folder = path.join(directory, FOLDER);
  // Something else may have its name; that shows when a file is to be moved there.
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  closeDirectory(folder, logger);
  return fs.readdirSync(folder).map((name) => path.join(folder, name));
}

/**
 * Where damaged files of a spool directory wait for a person: a folder in it, made when the first one comes. It keeps
 * within its limits; the files that were written longest ago leave first.
 */
export class Quarantine {
  private readonly folder: string;
  private mayHaveFiles = true;

  constructor(
    directory: string,
    private readonly observer: QuarantineObserver,
    private readonly limits = LIMITS,
  ) {
    this.folder = path.join(directory, FOLDER);
  }

  /** Moves a file in. @throws when the system refuses; the file is then where it was. */
  take(file: string): void {
    fs.mkdirSync(this.folder, { recursive: true, mode: PRIVATE_DIRECTORY });
    fs.renameSync(file, path.join(this.folder, path.basename(file)));
    this.mayHaveFiles = true;
    this.observer.quarantined();
    this.keepLimits();
  }

  /** How many files are in it; a person may have taken some out. Costs nothing while there are none. */
  get files(): number {
    if (!this.mayHaveFiles) return 0;
    const { length } = this.names();
    this.mayHaveFiles = length > 0;
    return length;
  }

  private keepLimits(): void {
    const files = this.names().flatMap((name) => this.statOf(path.join(this.folder, name)));
    let count = files.length;
    let bytes = files.reduce((sum, { size }) => sum + size, 0);
    for (const { file, size } of files.sort((a, b) => a.writtenAt - b.writtenAt)) {
      if (count <= this.limits.files && bytes <= this.limits.bytes) return;
      fs.rmSync(file, { force: true });
      this.observer.quarantineRemoved();
      count--;
      bytes -= size;
    }
  }

  private names(): string[] {
    try {
      return fs.readdirSync(this.folder);
    } catch {
      return [];
    }
  }

  private statOf(file: string): { file: string; size: number; writtenAt: number }[] {
    try {
      const { size, mtimeMs } = fs.statSync(file);
      return [{ file, size, writtenAt: mtimeMs }];
    } catch {
      return [];
    }
  }
}
