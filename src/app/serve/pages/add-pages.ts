import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { OWN_FILES } from '../../base/own-files.ts';
import { browserScript } from '../../write-report.ts';
import { Refusal } from '../access/guard.ts';
import { STYLE } from './style.ts';

interface PageFile {
  readonly type: string;
  readonly text: string;
}

interface PageFiles {
  readonly shell: string;
  /** By their names, which change with their text. */
  readonly assets: ReadonlyMap<string, PageFile>;
}

/**
 * Adds the pages: one document, whose script shows what the API answers. Their paths are relative, so that they are right below a base
 * path, and the page that is shown is in the fragment. Anyone may load them: without a session, they show a login and nothing else.
 */
export function addPages(server: FastifyInstance, basePath: string): void {
  let made: Promise<PageFiles> | undefined;
  const files = () => {
    made ??= pageFiles();
    return made;
  };
  server.get('/', { config: { role: 'anyone' } }, async (request, reply) => {
    // Without the slash, the relative paths would be of the folder above.
    if (!new URL(request.url, 'http://localhost').pathname.endsWith('/')) return reply.redirect(`${basePath}/`);
    return reply.type('text/html; charset=utf-8').send((await files()).shell);
  });
  server.get('/assets/:name', { config: { role: 'anyone' } }, async (request, reply) => {
    const { assets } = await files();
    const file = assets.get((request.params as { readonly name: string }).name);
    if (file === undefined) throw new Refusal(404, 'NOT_FOUND', 'no such path');
    return reply.type(file.type).header('Cache-Control', 'public, max-age=31536000, immutable').send(file.text);
  });
}

async function pageFiles(): Promise<PageFiles> {
  const script = await browserScript(OWN_FILES.builtServeScript, OWN_FILES.serveScript);
  const [scriptName, styleName] = [nameOf('pages', script, 'js'), nameOf('pages', STYLE, 'css')];
  return {
    shell: shellOf(scriptName, styleName),
    assets: new Map([
      [scriptName, { type: 'text/javascript; charset=utf-8', text: script }],
      [styleName, { type: 'text/css; charset=utf-8', text: STYLE }],
    ]),
  };
}

/** Digits of the hash in a file's name. */
const HASH_DIGITS = 16;

function nameOf(name: string, text: string, ending: string): string {
  return `${name}-${createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)}.${ending}`;
}

function shellOf(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Tidegate</title>
<link rel="stylesheet" href="assets/${style}">
</head>
<body>
<div id="app"><main><noscript><p>These pages need JavaScript. The <a href="emergency">emergency page</a> does not.</p></noscript></main></div>
<script src="assets/${script}"></script>
</body>
</html>
`;
}
