/** The page of an installation that has no built dashboard: it runs from sources that nobody has built yet. */
export const HOW_TO_BUILD = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Spandrel</title>
  </head>
  <body>
    <main>
      <h1>The dashboard is not built</h1>
      <p>Run <code>npm run build</code> in the folder of Spandrel and start the server again.</p>
      <p>The API runs: it is described at <a href="docs">/docs</a>.</p>
    </main>
  </body>
</html>
`;
