const NODE_MAJOR_MIN = 24;

/** Ends the process with a sentence when Node is too old (the SQLite driver would crash it without one). */
export function requireNode(version: string = process.versions.node): void {
  if (Number(version.split('.')[0]) >= NODE_MAJOR_MIN) return;
  process.stderr.write(
    `spandrel: needs Node ${NODE_MAJOR_MIN} or newer, this is ${version}; start it with npm (it brings its own on Linux x64)\n`,
  );
  process.exit(1);
}
