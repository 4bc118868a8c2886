import { defineSettings, setting, settingValue } from '@spandrel/kernel/launch';
import { z } from 'zod';
import { parseKeyBytes } from './keys/secret-key.js';

const secretKey = z.string().transform((text, context) => {
  const key = parseKeyBytes(text);
  if (key) return key;
  context.addIssue({ code: 'custom', message: 'must be 32 bytes, as base64 or hex' });
  return z.NEVER;
});

/** What users set about provider connections. */
export class ConnectionsSettings extends defineSettings({
  /** Seals the keys of provider connections; `null`: local mode makes one in the data directory. */
  secretKey: setting('secret_key', secretKey.nullable(), {
    default: null,
    doc: 'Seals the keys of provider connections: 32 bytes, base64 or hex; better given by SPANDREL_SECRET_KEY or SPANDREL_SECRET_KEY_FILE. null: local mode makes one of its own in the data directory (secret.key).',
    cloudNeeds: 'a key of 32 bytes, as base64 or hex',
    source: { variable: 'SPANDREL_SECRET_KEY', secret: true },
  }),
  /** Opens what was sealed before; `null`: no rotation is under way. */
  previousSecretKey: setting('secret_key_previous', secretKey.nullable(), {
    default: null,
    doc: 'The key before secret_key, while a rotation is under way: it opens what it sealed and seals nothing; better given by SPANDREL_SECRET_KEY_PREVIOUS.',
    source: { variable: 'SPANDREL_SECRET_KEY_PREVIOUS', secret: true },
  }),
  /** Hosts that connections of cloud mode may lead to though they are not public. */
  allowPrivate: setting('connections.allow_private', settingValue.hosts, {
    default: [],
    doc: 'Cloud mode: hosts that provider connections may lead to though their addresses are not public, by plain http too and at any port (models of your own): host, host:port or *.domain. Every project can then call them.',
  }),
}) {}
