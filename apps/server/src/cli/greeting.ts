import { type Config, defaultConfig } from '../config.ts';
import type { Running } from '../serve.ts';
import { basePath } from '../spec.ts';

/** What somebody who just started the server wants to know, with lines to paste. */
export function greeting({ origin, adminOrigin, madeKey }: Running, config: Config): string {
  const base = `${origin}${basePath}`;
  const key = madeKey ?? '<your API key>';
  return `
  Petstore listens on  ${base}
  Its docs are at      ${origin}/docs
${adminOrigin ? `  For operators        ${adminOrigin}/metrics, /healthz, /readyz\n` : ''}${aboutKeys(madeKey, config)}
  Try it from another terminal, in this folder:

    PETCTL_API_KEY='${key}' npx petctl --base-url ${base} pets list
    curl -H 'Authorization: Bearer ${key}' ${base}/pets
`;
}

function aboutKeys(madeKey: string | undefined, { apiKeys, dataDir, deployment }: Config): string {
  if (madeKey) return `\n  API key, made just now and shown only this once:  ${madeKey}\n`;
  if (apiKeys !== undefined) return '';
  const flag = dataDir === defaultConfig({ deployment }).dataDir ? '' : ` --data-dir ${quoted(dataDir)}`;
  return `  For another API key  npx petstore-server keys create${flag}\n`;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
