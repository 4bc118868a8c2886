import { delimiter } from 'node:path';

/**
 * The PATH that a user has. npm puts folders of its own in front of it, with the project's Node among them; what is to be
 * shown on the Node of the machine would otherwise run on the project's.
 */
export const usersPath = (path = process.env['PATH'] ?? ''): string =>
  path
    .split(delimiter)
    .filter((folder) => !/[/\\](node_modules[/\\]\.bin|node-gyp-bin)[/\\]?$/.test(folder))
    .join(delimiter);
