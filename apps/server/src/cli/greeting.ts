import { existsSync } from 'node:fs';
import { type Operation, operations, type SecurityScheme, service } from '@petstore/types';
import { type Config, defaultConfig } from '../config/config.ts';
import type { Running } from '../serve.ts';

/** The greeting that the server prints at start: URLs, keys, and commands to try. */
export function greeting({ origin, adminOrigin, madeKey }: Running, config: Config): string {
  const base = `${origin}${service.basePath}`;
  const lines: [label: string, value: string][] = [
    [`${service.title} listens on`, base],
    ['Its docs are at', `${origin}/docs`],
  ];
  if (adminOrigin) lines.push(['For operators', `${adminOrigin}/metrics, /healthz, /readyz`]);
  const width = Math.max(...lines.map(([label]) => label.length)) + 2;
  const addresses = lines.map(([label, value]) => `  ${label.padEnd(width)}${value}\n`).join('');
  return `\n${addresses}${keyLines(madeKey, config)}${commandsToTry(base, madeKey ?? '<your API key>')}`;
}

/** Commands to try, which call the first GET operation without required input. */
function commandsToTry(base: string, key: string): string {
  const operation = Object.values<Operation>(operations).find(
    ({ method, fields }) => method === 'GET' && Object.values(fields).every(({ required }) => !required),
  );
  if (!operation) return '';
  // In a checkout, petctl starts faster without npx.
  const petctl = existsSync('node_modules/.bin/petctl') ? 'node_modules/.bin/petctl' : 'npx petctl';
  return `
  Try it from another terminal, in this folder:

    PETCTL_API_KEY='${key}' ${petctl} --base-url ${base} ${operation.command.join(' ')}
    curl -H '${keyHeader(key)}' ${base}${operation.path}
`;
}

function keyHeader(key: string): string {
  type Security = { securitySchemes: Readonly<Record<string, SecurityScheme>>; keyScheme?: string };
  const { securitySchemes, keyScheme = '' }: Security = service;
  const scheme = securitySchemes[keyScheme];
  return scheme?.type === 'apiKey' ? `${scheme.name}: ${key}` : `Authorization: Bearer ${key}`;
}

function keyLines(madeKey: string | undefined, { apiKeys, dataDir }: Config): string {
  if (madeKey) return `\n  API key, made just now and shown only this once:  ${madeKey}\n`;
  if (apiKeys !== undefined) return '';
  const flag = dataDir === defaultConfig().dataDir ? '' : ` --data-dir ${quoted(dataDir)}`;
  return `  For another API key  npx @petstore/server keys create${flag}\n`;
}

const quoted = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
