/** The entry module of an app. The command starts apps by file, as whole programs; it imports nothing of them. */
export const appEntry = (app: 'server' | 'gateway'): URL => new URL(`../../${app}/src/main.js`, import.meta.url);
