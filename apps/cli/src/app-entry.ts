import { codeFile } from '@spandrel/kernel/launch';

/** The entry module of an app. The command starts apps by file, as whole programs; it imports nothing of them. */
export const appEntry = (app: 'server' | 'gateway'): string => codeFile(`apps/${app}/src/main.ts`);
