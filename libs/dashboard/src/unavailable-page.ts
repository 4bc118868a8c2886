/** A page in place of the dashboard. @param lines paragraphs in HTML. */
const page = (title: string, lines: readonly string[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Spandrel</title>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
${lines.map((line) => `      <p>${line}</p>\n`).join('')}    </main>
  </body>
</html>
`;

const API_RUNS = 'The API runs: it is described at <a href="docs">/docs</a>.';

/** The page of an installation that has no built dashboard: it runs from sources that nobody has built yet. */
export const HOW_TO_BUILD = page('The dashboard is not built', [
  'Run <code>npm run build</code> in the folder of Spandrel and start the server again.',
  API_RUNS,
]);

/** The page of a server whose files a build has replaced since its start. */
export const HOW_TO_RENEW = page('The dashboard was rebuilt', [
  'The files that this server began with are gone. Start the server again to get the new ones.',
  API_RUNS,
]);
