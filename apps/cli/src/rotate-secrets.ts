import 'reflect-metadata';
import { join } from 'node:path';
import { AuditTrail } from '@spandrel/audit';
import {
  connectionsFeature,
  ConnectionsSettings,
  KeyHolderStore,
  parseSecretKey,
  resealKeys,
  rotateKeyFile,
  secretKeyOf,
  type Rotation,
  type SecretKey,
} from '@spandrel/connections';
import { formatCounted } from '@spandrel/contract/browser';
import { commandContext, inContext, StartError, type Settings } from '@spandrel/kernel';
import { readSecretFile } from '@spandrel/kernel/launch';
import type { Storage } from '@spandrel/storage';
import { assertDatabase, withDatabase } from './command-database.js';
import { commandSettings, printFailure } from './command-settings.js';

const NEW_KEY = 'SPANDREL_NEW_SECRET_KEY';

/**
 * `spandrel secrets rotate`: seals the keys of all provider connections, of alert channels and of masking with a new secret key. Never prints a key.
 * Ends with 1 when it cannot begin, or when something could not be decrypted and was left as it is.
 * @param args settings, as for the server.
 */
export async function rotateSecrets(args: readonly string[]): Promise<void> {
  try {
    const settings = commandSettings(args);
    assertDatabase(settings, 'whose keys could be rotated');
    const keys = readKeys(settings.of(ConnectionsSettings), process.env);
    if (!keys && wantsNewKey(process.env)) throw new StartError([keyFileAdvice(settings)]);
    await withDatabase(settings, [connectionsFeature], async (storage, logger) => {
      if (keys) await refuseServersWithout(keys[0]!, storage);
      const rotation = keys
        ? await inContext(commandContext(), () => resealKeys(storage, keys, new AuditTrail(settings.core)))
        : await rotateKeyFile(storage, settings.core.dataDir, logger);
      report(rotation, keys !== null && wantsNewKey(process.env));
    });
  } catch (error) {
    printFailure(error);
  }
}

/** The keys of a rotation, the new one first; `null`: those of the key file. @throws StartError, never with a key. */
function readKeys(
  { secretKey, previousSecretKey }: Pick<ConnectionsSettings, 'secretKey' | 'previousSecretKey'>,
  env: NodeJS.ProcessEnv,
): SecretKey[] | null {
  if (!secretKey) return null;
  const known = [secretKey, ...(previousSecretKey ? [previousSecretKey] : [])].map(secretKeyOf);
  return previousSecretKey && !wantsNewKey(env) ? known : [newKey(env, secretKey), ...known];
}

/** @throws StartError naming servers that run and could read nothing that is sealed with the new key. */
async function refuseServersWithout({ id }: SecretKey, storage: Storage): Promise<void> {
  const servers = await new KeyHolderStore(storage).running(Date.now());
  const lacking = servers.filter(({ keyIds }) => !keyIds.includes(id));
  if (lacking.length === 0) return;
  const names = lacking.map(({ host, id: server }) => `${host} (${server})`).join(', ');
  throw new StartError([
    `SPANDREL_SECRET_KEY: ${formatCounted(lacking.length, 'server')} without the new key ${lacking.length === 1 ? 'runs' : 'run'}: ${names}; ` +
      'start each with the new key as SPANDREL_SECRET_KEY and the one before as SPANDREL_SECRET_KEY_PREVIOUS, or stop it ' +
      '(a server that was killed counts for 20 s more)',
  ]);
}

function report(rotation: Rotation, byVariable: boolean): void {
  const { rotated, texts, maskingKeys, unreadable, unreadableTexts, unreadableMaskingKeys } = rotation;
  const connections = formatCounted(rotated, 'provider connection');
  process.stdout.write(`Encrypted the keys of ${connections} with the new secret key.\n`);
  if (texts > 0)
    process.stdout.write(`Encrypted the URLs and secrets of ${formatCounted(texts, 'alert channel')} with it.\n`);
  if (maskingKeys > 0)
    process.stdout.write(`Encrypted the masking keys of ${formatCounted(maskingKeys, 'project')} with it.\n`);
  if (byVariable) {
    process.stdout.write(
      `Next: set SPANDREL_SECRET_KEY to the value of ${NEW_KEY}, unset ${NEW_KEY}, and start the server.\n`,
    );
  }
  for (const projectId of unreadableMaskingKeys) {
    fail(`the masking key of project ${projectId} could not be decrypted and stayed as before`);
  }
  const left = [
    { rows: unreadable, what: 'provider connection', remedy: 'its api_key' },
    { rows: unreadableTexts, what: 'alert channel', remedy: 'its url and secret' },
  ];
  for (const { rows, what, remedy } of left) {
    if (rows.length === 0) continue;
    fail(`${formatCounted(rows.length, what)} could not be decrypted and stayed as before; give each ${remedy} again:`);
    for (const { id, projectId } of rows) fail(`  ${id} (project ${projectId})`);
  }
}

function fail(line: string): void {
  process.stderr.write(`spandrel: ${line}\n`);
  process.exitCode = 1;
}

const wantsNewKey = (env: NodeJS.ProcessEnv): boolean => Boolean(env[NEW_KEY] || env[`${NEW_KEY}_FILE`]);

/** @throws StartError naming the variable; never with what is in it. */
function newKey(env: NodeJS.ProcessEnv, current: Buffer): SecretKey {
  if (!wantsNewKey(env)) {
    throw new StartError([
      `${NEW_KEY}: the server's key is given by SPANDREL_SECRET_KEY; set ${NEW_KEY} (or ${NEW_KEY}_FILE) to the one that is to follow it, ` +
        'or SPANDREL_SECRET_KEY_PREVIOUS to the one before it where servers have the new one already',
    ]);
  }
  const key = parseSecretKey(env[NEW_KEY] || readNewKeyFile(env));
  if (!key) throw new StartError([`${NEW_KEY}: must be 32 bytes, as base64 or hex`]);
  if (key.id === secretKeyOf(current).id)
    throw new StartError([`${NEW_KEY}: is the key that is in use already; give a new one`]);
  return key;
}

function readNewKeyFile(env: NodeJS.ProcessEnv): string {
  const faults: string[] = [];
  const key = readSecretFile(env, `${NEW_KEY}_FILE`, faults);
  if (faults.length > 0) throw new StartError(faults);
  return key!;
}

const keyFileAdvice = ({ core: { dataDir } }: Settings): string =>
  `${NEW_KEY}: the server's key is the one in ${join(dataDir, 'secret.key')}, which is replaced without it; ` +
  `to go over to a key of your own, set SPANDREL_SECRET_KEY_FILE to that file for this command`;
